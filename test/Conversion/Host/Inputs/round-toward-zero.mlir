func.func @f(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x toward_zero : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

namespace mlir::amp {
struct Declared;
struct Twice {
  int x;
};
class Once : Twice {
};
} // namespace mlir::amp

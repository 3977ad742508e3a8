namespace mlir::amp {
struct Declared {};
struct Twice final {
};
namespace {
struct Once {
};
} // namespace
} // namespace mlir::amp
namespace other {
struct Twice {};
} // namespace other

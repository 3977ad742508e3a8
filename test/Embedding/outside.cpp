// Embeds the C++ libraries: parses a module, runs a pipeline, prints the
// result.

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  mlir::amp::registerAllPasses();
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  mlir::amp::registerAllDialects(registry);
  mlir::MLIRContext context(registry);

  if (argc != 3)
    return 2;
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  if (!module || failed(mlir::parsePassPipeline(argv[2], manager)) ||
      failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}

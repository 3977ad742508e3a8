/* Calls a compiled function through its description and by its name. */
#include "amp-rt/Device.h"
#include "amp-rt/Program.h"
#include "amp-rt/Run.h"

#include <stdio.h>

extern const AmpRtProgram ampProgram;

/* MLIR's memref descriptors of rank 1 and 2. */
typedef struct Vector {
  void *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
} Vector;
typedef struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

extern AmpRtStatus _mlir_ciface_lookup(int64_t run, Vector *table,
                                       Matrix *index, Matrix *result);

static void showNumbers(const int64_t *numbers, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    printf("%s%lld", i ? "," : "", (long long)numbers[i]);
}

static void showValue(const AmpRtValue *value) {
  printf("%s '%s' %s[", value->role, value->name,
         ampRtElementKindName(value->elementKind));
  showNumbers(value->extents, value->rank);
  printf("], strides [");
  showNumbers(value->strides, value->rank);
  printf("]\n");
}

static void showCall(const char *what, AmpRtStatus status,
                     const float *result) {
  printf("%s: %s,", what, ampRtStatusName(status));
  if (status != AMP_RT_OK)
    printf(" %s", ampRtStatusText());
  else
    for (int i = 0; i < 6; ++i)
      printf(" %g", result[i]);
  printf("\n");
}

/* Calls with each of what a description rules out, one at a time. */
static void showRefusals(const AmpRtFunction *lookup, int64_t run,
                         Vector *table, Matrix *index, Matrix *result) {
  void *arguments[] = {table, index, result};
  float *numbers = result->aligned;
  const Vector tableBefore = *table;
  const Matrix indexBefore = *index, resultBefore = *result;
  showCall("no arguments", lookup->call(run, NULL), numbers);

  arguments[1] = NULL;
  showCall("no descriptor", lookup->call(run, arguments), numbers);
  arguments[1] = index;

  table->aligned = NULL;
  showCall("no data", lookup->call(run, arguments), numbers);
  *table = tableBefore;

  index->sizes[0] = 3, index->sizes[1] = 2;
  showCall("extents", lookup->call(run, arguments), numbers);
  *index = indexBefore;

  result->strides[0] = 1, result->strides[1] = 2;
  showCall("strides", lookup->call(run, arguments), numbers);
  *result = resultBefore;

  table->offset = 1;
  showCall("offset", lookup->call(run, arguments), numbers);
  *table = tableBefore;

  table->aligned = (float *)table->aligned + 1;
  showCall("alignment", lookup->call(run, arguments), numbers);
  *table = tableBefore;

  result->aligned = index->aligned;
  showCall("overlap", lookup->call(run, arguments), numbers);
  *result = resultBefore;
  showCall("again", lookup->call(run, arguments), numbers);
}

int main(void) {
  _Alignas(64) float table[8] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5};
  _Alignas(64) int64_t index[6] = {7, 0, 1, 2, 3, 4};
  _Alignas(64) float result[6];
  Vector tableArray = {table, table, 0, {8}, {1}};
  Matrix indexArray = {index, index, 0, {2, 3}, {3, 1}};
  Matrix resultArray = {result, result, 0, {2, 3}, {3, 1}};
  void *arguments[] = {&tableArray, &indexArray, &resultArray};

  const AmpRtFunction *lookup = ampProgram.functions[0];
  printf("%d functions, %d scalers\n", ampProgram.functionCount,
         ampProgram.scalerCount);
  printf("%s: kind %d, %d arguments, %d results, workspace at least 64: %s\n",
         lookup->name, lookup->kind, lookup->argumentCount, lookup->resultCount,
         lookup->workspaceBytes >= 64 ? "yes" : "no");
  for (int i = 0; i < lookup->argumentCount; ++i)
    showValue(lookup->arguments[i]);
  showValue(lookup->results[0]);

  AmpRtRun *run = NULL;
  if (ampRtRunCreate(&run) != AMP_RT_OK)
    return 1;
  int64_t handle = ampRtRunHandle(run);
  showCall("in range", lookup->call(handle, arguments), result);
  index[4] = INT64_C(1) << 50;
  showCall("out of range", lookup->call(handle, arguments), result);

  AmpRtDevice *host = NULL;
  AmpRtDeviceStatistics statistics = {.structSize = sizeof statistics};
  if (ampRtDeviceGet("host", &host) != AMP_RT_OK ||
      ampRtDeviceGetStatistics(host, &statistics) != AMP_RT_OK)
    return 1;
  printf("bytes left: %lld\n", (long long)statistics.bytesCurrent);

  index[4] = 3;
  showRefusals(lookup, handle, &tableArray, &indexArray, &resultArray);
  showCall("by name",
           _mlir_ciface_lookup(handle, &tableArray, &indexArray, &resultArray),
           result);
  showCall("without a run", lookup->call(0, arguments), result);
  ampRtRunDestroy(run);
  return 0;
}

/* The policy through its C ABI: selections, refusals, lists, null and sizes.
 * RUN: amp-capi-policy-test | FileCheck %s
 */

#include "amp-c/Policy.h"

#include <stdio.h>
#include <string.h>

static AmpPolicySelection *select_level(const char *level, const char *name,
                                        const char *value) {
  AmpPolicyOverride given;
  AmpPolicyRequest request;
  given.name = name;
  given.value = value;
  memset(&request, 0, sizeof request);
  request.structSize = sizeof request;
  request.optLevel = level;
  request.overrides = name ? &given : NULL;
  request.overrideCount = name ? 1 : 0;
  return ampPolicySelect(&request);
}

static void print(const char *title, const AmpPolicyProperties *p) {
  printf("%s: enabled %d, level %d, model %d (false %d, cast %d), functions %d "
         "(type %d, cast %d), batch norm %d, master %d, outputs %d\n",
         title, p->enabled, p->optLevel, p->castModelType,
         p->castModelTypeIsFalse, p->modelCast, p->patchTorchFunctions,
         p->patchTorchFunctionsType, p->functionCast, p->keepBatchnormFP32,
         p->masterWeights, p->castModelOutputs);
  printf("%s: scale %g (dynamic %d, from %g, %g to %g), losses %ld, verbosity "
         "%ld\n",
         title, p->lossScale, p->lossScaleIsDynamic, p->initialScale,
         p->minLossScale, p->maxLossScale, (long)p->numLosses,
         (long)p->verbosity);
}

/* Prints a selection under a title and frees it. */
static void show(const char *title, AmpPolicySelection *selection) {
  AmpPolicyProperties properties;
  size_t i;
  printf("== %s: status %d\n", title,
         (int)ampPolicySelectionGetStatus(selection));
  if (*ampPolicySelectionGetError(selection))
    printf("error: %s\n", ampPolicySelectionGetError(selection));
  properties.structSize = sizeof properties;
  if (ampPolicySelectionGetDefaults(selection, &properties) == AMP_POLICY_OK)
    print("defaults", &properties);
  if (ampPolicySelectionGetProperties(selection, &properties) == AMP_POLICY_OK)
    print("properties", &properties);
  for (i = 0; i < ampPolicySelectionGetRemarkCount(selection); ++i)
    printf("remark: %s\n", ampPolicySelectionGetRemark(selection, i));
  printf("text: %s\n", ampPolicySelectionGetText(selection));
  ampPolicySelectionDestroy(selection);
}

static void lookup(const char *function, int32_t half) {
  AmpPolicyListEntry entry;
  char text[48];
  size_t length = ampPolicyGetRefusal(function, half, text, sizeof text);
  entry.structSize = sizeof entry;
  printf("%s: ", function ? function : "null");
  if (ampPolicyLookupFunction(function, half, &entry))
    printf("class %d, in place %d, origin %d, bfloat16 %d", entry.listClass,
           entry.inPlace, entry.origin, entry.withBFloat16);
  else
    printf("none");
  printf("; loss %d, type of self %d, refusal %lu '%s'\n",
         ampPolicyIsLossFunction(function), ampPolicyKeepsTypeOfSelf(function),
         (unsigned long)length, text);
}

int main(void) {
  AmpPolicyRequest request;
  AmpPolicyProperties properties;
  AmpPolicyListEntry entry;
  AmpPolicySelection *selection;
  AmpPolicyFunctions *functions;
  char small[5];

  /* CHECK: api 1
   */
  printf("api %u\n", (unsigned)ampPolicyGetApiVersion());

  /* CHECK-LABEL: == O2: status 0
   * CHECK-NEXT: defaults: enabled 1, level 2, model 2 (false 0, cast 2), functions 0 (type 0, cast 0), batch norm 1, master 1, outputs 0
   * CHECK-NEXT: defaults: scale 0 (dynamic 1, from 65536, 0 to 1.67772e+07), losses 1, verbosity 1
   * CHECK-NEXT: properties: enabled 1, level 2, {{.*}}
   * CHECK-NEXT: properties: scale 128 (dynamic 0, from 128, 0 to 1.67772e+07), losses 1, verbosity 1
   * CHECK-NEXT: text: Selected optimization level O2: FP16 training with FP32 batchnorm and FP32 master weights.
   */
  show("O2", select_level("O2", "loss_scale", "128.0"));

  /* CHECK-LABEL: == O4: status 0
   * CHECK: properties: enabled 1, level 4, model 0 (false 0, cast 0), functions 1 (type 3, cast 3), batch norm -1, master -1, outputs 0
   */
  show("O4", select_level("O4", NULL, NULL));

  /* CHECK-LABEL: == False is not None: status 0
   * CHECK: properties: enabled 1, level 3, model 0 (false 1, cast 0)
   */
  show("False is not None", select_level("O3", "cast_model_type", "False"));

  /* CHECK-LABEL: == not enabled: status 0
   * CHECK: properties: enabled 0, level -1,
   * CHECK: {{^}}text: {{$}}
   */
  show("not enabled", select_level("O9", "enabled", "False"));

  /* CHECK-LABEL: == a remark: status 0
   * CHECK: remark: 'max_loss_scale' 128.0 has no effect, because the loss scale is fixed at 1.0
   */
  show("a remark", select_level("O3", "max_loss_scale", "128.0"));

  /* One refusal of each kind; no properties come with it.
   * CHECK-LABEL: == unknown level: status 2
   * CHECK-NEXT: error: Unexpected optimization level O7.
   * CHECK-NEXT: {{^}}text: {{$}}
   */
  show("unknown level", select_level("O7", NULL, NULL));
  /* CHECK-LABEL: == no boolean: status 3
   * CHECK-NEXT: error: keep_batchnorm_fp32 must be a boolean
   */
  show("no boolean", select_level("O2", "keep_batchnorm_fp32", "1"));
  /* CHECK-LABEL: == no number: status 4
   * CHECK-NEXT: error: float() argument must be
   */
  show("no number", select_level("O2", "loss_scale", "torch.float16"));
  /* CHECK-LABEL: == unknown property: status 5
   * CHECK-NEXT: error: Tried to set unexpected option fused_optimizer
   */
  show("unknown property", select_level("O2", "fused_optimizer", "True"));

  /* Requests that are none.
   * CHECK-LABEL: == null request: status 1
   * CHECK-NEXT: error: expected a request, but got null
   */
  show("null request", ampPolicySelect(NULL));
  memset(&request, 0, sizeof request);
  /* CHECK-LABEL: == no size: status 1
   * CHECK-NEXT: error: expected 'structSize' to be sizeof(AmpPolicyRequest)
   */
  show("no size", ampPolicySelect(&request));
  request.structSize = sizeof request;
  /* CHECK-LABEL: == no level: status 1
   * CHECK-NEXT: error: expected 'optLevel' to be the name of a level, but got null
   */
  show("no level", ampPolicySelect(&request));
  request.optLevel = "O1";
  request.overrideCount = 1;
  /* CHECK-LABEL: == null overrides: status 1
   * CHECK-NEXT: error: expected 'overrides' to be an array, but got null
   */
  show("null overrides", ampPolicySelect(&request));
  /* CHECK-LABEL: == null value: status 1
   * CHECK-NEXT: error: expected each override to have a name and a value, but got null
   */
  show("null value", select_level("O1", "loss_scale", NULL));
  /* CHECK-LABEL: == null selection: status 1
   * CHECK-NEXT: {{^}}text: {{$}}
   */
  show("null selection", NULL);

  /* CHECK-LABEL: == structs of another size: 1 1 0
   */
  selection = select_level("O1", NULL, NULL);
  properties.structSize = 8;
  entry.structSize = 8;
  printf("== structs of another size: %d %d %d\n",
         (int)ampPolicySelectionGetProperties(selection, &properties),
         (int)ampPolicySelectionGetProperties(selection, NULL),
         ampPolicyLookupFunction("torch.exp", AMP_POLICY_FLOAT16, &entry));
  ampPolicySelectionDestroy(selection);

  /* CHECK-NEXT: torch.nn.functional.linear: class 0, in place 0, origin 0, bfloat16 1; loss 0, type of self 0, refusal 0 ''
   * CHECK-NEXT: torch.prelu: class 0, in place 0, origin 0, bfloat16 0;
   * CHECK-NEXT: torch.prelu: none;
   * CHECK-NEXT: torch.exp_: class 1, in place 1, origin 0, bfloat16 1; loss 0, type of self 1, refusal 55 'Cannot call in-place function exp_ with fp16 ar'
   * CHECK-NEXT: jax.numpy.exp: class 1, in place 0, origin 1, bfloat16 1;
   * CHECK-NEXT: torch.nn.functional.mse_loss: class {{[0-9]}}, {{.*}}; loss 1,
   * CHECK-NEXT: torch.exp: none; loss 0, type of self 0, refusal 0 ''
   * CHECK-NEXT: null: none; loss 0, type of self 0, refusal 0 ''
   */
  lookup("torch.nn.functional.linear", AMP_POLICY_FLOAT16);
  lookup("torch.prelu", AMP_POLICY_FLOAT16);
  lookup("torch.prelu", AMP_POLICY_BFLOAT16);
  lookup("torch.exp_", AMP_POLICY_FLOAT16);
  lookup("jax.numpy.exp", AMP_POLICY_BFLOAT16);
  lookup("torch.nn.functional.mse_loss", AMP_POLICY_FLOAT16);
  lookup("torch.exp", AMP_POLICY_FLOAT32); /* no half type */
  lookup(NULL, AMP_POLICY_FLOAT16);

  /* CHECK-NEXT: refusal into 5 bytes: 55 'Cann'
   * CHECK-NEXT: refusal into none: 55
   */
  printf("refusal into 5 bytes: %lu",
         (unsigned long)ampPolicyGetRefusal("torch.exp_", AMP_POLICY_FLOAT16,
                                            small, sizeof small));
  printf(" '%s'\n", small);
  printf("refusal into none: %lu\n",
         (unsigned long)ampPolicyGetRefusal("torch.exp_", AMP_POLICY_FLOAT16,
                                            NULL, 0));

  /* CHECK-NEXT: listed: more than 300, first 'torch.nn.functional.conv1d', past the end ''
   */
  functions = ampPolicyFunctionsCreate();
  printf("listed: %s, first '%s', past the end '%s'\n",
         ampPolicyFunctionsGetCount(functions) > 300 ? "more than 300" : "few",
         ampPolicyFunctionsGetName(functions, 0),
         ampPolicyFunctionsGetName(functions,
                                   ampPolicyFunctionsGetCount(functions)));
  ampPolicyFunctionsDestroy(functions);
  ampPolicyFunctionsDestroy(NULL);
  return 0;
}

/* The functions of FMI 3.0 for co-simulation around a core: values by reference, a begin, and steps.
 *
 * With -DFMI_HEADERS the standard's own headers are expected to have been included; otherwise the few types are here.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#ifndef FMI_HEADERS
typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
    fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)();
typedef void (*fmi3UnlockPreemptionCallback)();
#endif

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* What an instance may be asked for depends on what it was asked for before. */
enum { INSTANTIATED, INITIALIZING, STEPPING, TERMINATED };

/* All that a state of the model is. */
typedef struct {
    core core;
    double start;
    int mode;
} kept;

typedef struct {
    kept kept;
    fmi3LogMessageCallback logger;
    fmi3InstanceEnvironment environment;
} instance;

#define NOT_STEPPING "steps are made between the end of the initialization mode and the termination"

/* Say what is wrong, if anything is, and return the status. */
static fmi3Status told(const instance *self, const char *wrong)
{
    if (wrong == NULL) {
        return fmi3OK;
    }
    if (self->logger != NULL) {
        self->logger(self->environment, fmi3Error, "logStatusError", wrong);
    }
    return fmi3Error;
}

EXPORTED const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORTED fmi3Status fmi3SetDebugLogging(
    fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi3OK;
}

EXPORTED fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference intermediate[], size_t count, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate;
    (void)count, (void)update;
    instance *self;
    if (token == NULL || strcmp(token, CORE_TOKEN) != 0) {
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->logger = logger;
        self->environment = environment;
        core_defaults(&self->kept.core);
    }
    return self;
}

EXPORTED fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
    return NULL;
}

EXPORTED fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}

EXPORTED void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

EXPORTED fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    instance *self = c;
    if (self->kept.mode != INSTANTIATED) {
        return told(self, "this instance was initialized before: reset it first");
    }
    if (!(fabs(start) < HUGE_VAL)) {
        return told(self, "the time of the start has to be finite");
    }
    self->kept.start = start;
    self->kept.mode = INITIALIZING;
    return fmi3OK;
}

EXPORTED fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    instance *self = c;
    if (self->kept.mode != INITIALIZING) {
        return told(self, "the initialization mode has to be entered before it is left");
    }
    self->kept.mode = STEPPING;
    return told(self, core_begin(&self->kept.core, self->kept.start));
}

EXPORTED fmi3Status fmi3Terminate(fmi3Instance c)
{
    instance *self = c;
    if (self->kept.mode != STEPPING) {
        return told(self, "what is terminated has been initialized, and was not terminated before");
    }
    self->kept.mode = TERMINATED;
    return fmi3OK;
}

EXPORTED fmi3Status fmi3Reset(fmi3Instance c)
{
    instance *self = c;
    core_defaults(&self->kept.core);
    self->kept.mode = INSTANTIATED;
    return fmi3OK;
}

EXPORTED fmi3Status fmi3GetFloat64(
    fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float64 values[], size_t size)
{
    const instance *self = c;
    if (count != size) {
        return told(self, "every variable of this model is one number");
    }
    for (size_t k = 0; k < count; ++k) {
        if (references[k] >= CORE_VALUES) {
            return told(self, "a value reference is not one of this model");
        }
        values[k] = self->kept.core.value[references[k]];
    }
    return fmi3OK;
}

EXPORTED fmi3Status fmi3SetFloat64(
    fmi3Instance c, const fmi3ValueReference references[], size_t count, const fmi3Float64 values[], size_t size)
{
    instance *self = c;
    if (count != size) {
        return told(self, "every variable of this model is one number");
    }
    for (size_t k = 0; k < count; ++k) {
        if (references[k] >= CORE_SETTABLE) {
            return told(self, "only parameters and inputs can be set");
        }
        self->kept.core.value[references[k]] = values[k];
    }
    return fmi3OK;
}

/* All variables are Float64: of the other kinds there are none. */
#define OF_A_KIND_THERE_IS_NONE(kind, type)                                                                            \
    EXPORTED fmi3Status fmi3Get##kind(                                                                                 \
        fmi3Instance c, const fmi3ValueReference references[], size_t count, type values[], size_t size)               \
    {                                                                                                                  \
        (void)references, (void)values, (void)size;                                                                    \
        return told(c, count == 0 ? NULL : "all variables of this model are Float64");                                 \
    }                                                                                                                  \
    EXPORTED fmi3Status fmi3Set##kind(                                                                                 \
        fmi3Instance c, const fmi3ValueReference references[], size_t count, const type values[], size_t size)         \
    {                                                                                                                  \
        (void)references, (void)values, (void)size;                                                                    \
        return told(c, count == 0 ? NULL : "all variables of this model are Float64");                                 \
    }

OF_A_KIND_THERE_IS_NONE(Float32, fmi3Float32)
OF_A_KIND_THERE_IS_NONE(Int8, fmi3Int8)
OF_A_KIND_THERE_IS_NONE(UInt8, fmi3UInt8)
OF_A_KIND_THERE_IS_NONE(Int16, fmi3Int16)
OF_A_KIND_THERE_IS_NONE(UInt16, fmi3UInt16)
OF_A_KIND_THERE_IS_NONE(Int32, fmi3Int32)
OF_A_KIND_THERE_IS_NONE(UInt32, fmi3UInt32)
OF_A_KIND_THERE_IS_NONE(Int64, fmi3Int64)
OF_A_KIND_THERE_IS_NONE(UInt64, fmi3UInt64)
OF_A_KIND_THERE_IS_NONE(Boolean, fmi3Boolean)
OF_A_KIND_THERE_IS_NONE(String, fmi3String)

/* The whole state is a plain structure. */
EXPORTED fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    const instance *self = c;
    if (*state == NULL) {
        *state = malloc(sizeof self->kept);
    }
    if (*state == NULL) {
        return told(self, "there is no memory for a state");
    }
    memcpy(*state, &self->kept, sizeof self->kept);
    return fmi3OK;
}

EXPORTED fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    memcpy(&((instance *)c)->kept, state, sizeof(kept));
    return fmi3OK;
}

EXPORTED fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

EXPORTED fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(kept);
    return fmi3OK;
}

EXPORTED fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(kept)) {
        return told(c, "the bytes for a state are too few");
    }
    memcpy(bytes, state, sizeof(kept));
    return fmi3OK;
}

EXPORTED fmi3Status fmi3DeserializeFMUState(
    fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size != sizeof(kept)) {
        return told(c, "the bytes are not those of a state of this model");
    }
    if (*state == NULL) {
        *state = malloc(sizeof(kept));
    }
    if (*state == NULL) {
        return told(c, "there is no memory for a state");
    }
    memcpy(*state, bytes, size);
    return fmi3OK;
}

EXPORTED fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

EXPORTED fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_return,
    fmi3Boolean *events, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    instance *self = c;
    const char *wrong = self->kept.mode == STEPPING ? core_step(&self->kept.core, time, step) : NOT_STEPPING;
    (void)no_return;
    *events = false;
    *terminate = false;
    *early = false;
    *last = self->kept.core.value[CORE_TIME];
    return told(self, wrong);
}

/* What this model does not offer: other kinds of simulation, clocks, binaries and derivatives. */
#define NOT_OFFERED(name, ...)                                                                                         \
    EXPORTED fmi3Status fmi3##name(fmi3Instance c, __VA_ARGS__)
#define IS_NOT_OFFERED                                                                                                 \
    {                                                                                                                  \
        return told(c, "this model is for co-simulation, without events, clocks and derivatives");                     \
    }
#define NOT_OFFERED_ALONE(name) EXPORTED fmi3Status fmi3##name(fmi3Instance c) IS_NOT_OFFERED

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NOT_OFFERED_ALONE(EnterEventMode)
NOT_OFFERED_ALONE(EnterConfigurationMode)
NOT_OFFERED_ALONE(ExitConfigurationMode)
NOT_OFFERED_ALONE(EvaluateDiscreteStates)
NOT_OFFERED_ALONE(EnterContinuousTimeMode)
NOT_OFFERED(GetBinary, const fmi3ValueReference r[], size_t n, size_t sizes[], fmi3Binary v[], size_t m) IS_NOT_OFFERED
NOT_OFFERED(SetBinary, const fmi3ValueReference r[], size_t n, const size_t sizes[], const fmi3Binary v[], size_t m)
IS_NOT_OFFERED
NOT_OFFERED(GetClock, const fmi3ValueReference r[], size_t n, fmi3Clock v[]) IS_NOT_OFFERED
NOT_OFFERED(SetClock, const fmi3ValueReference r[], size_t n, const fmi3Clock v[]) IS_NOT_OFFERED
NOT_OFFERED(GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n) IS_NOT_OFFERED
NOT_OFFERED(GetVariableDependencies, fmi3ValueReference r, size_t i[], fmi3ValueReference others[], size_t j[],
    fmi3DependencyKind kinds[], size_t n)
IS_NOT_OFFERED
NOT_OFFERED(GetDirectionalDerivative, const fmi3ValueReference u[], size_t nu, const fmi3ValueReference k[], size_t nk,
    const fmi3Float64 seed[], size_t ns, fmi3Float64 result[], size_t nr)
IS_NOT_OFFERED
NOT_OFFERED(GetAdjointDerivative, const fmi3ValueReference u[], size_t nu, const fmi3ValueReference k[], size_t nk,
    const fmi3Float64 seed[], size_t ns, fmi3Float64 result[], size_t nr)
IS_NOT_OFFERED
NOT_OFFERED(GetIntervalDecimal, const fmi3ValueReference r[], size_t n, fmi3Float64 v[], fmi3IntervalQualifier q[])
IS_NOT_OFFERED
NOT_OFFERED(GetIntervalFraction, const fmi3ValueReference r[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[],
    fmi3IntervalQualifier q[])
IS_NOT_OFFERED
NOT_OFFERED(GetShiftDecimal, const fmi3ValueReference r[], size_t n, fmi3Float64 v[]) IS_NOT_OFFERED
NOT_OFFERED(GetShiftFraction, const fmi3ValueReference r[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[]) IS_NOT_OFFERED
NOT_OFFERED(SetIntervalDecimal, const fmi3ValueReference r[], size_t n, const fmi3Float64 v[]) IS_NOT_OFFERED
NOT_OFFERED(SetIntervalFraction, const fmi3ValueReference r[], size_t n, const fmi3UInt64 a[], const fmi3UInt64 b[])
IS_NOT_OFFERED
NOT_OFFERED(SetShiftDecimal, const fmi3ValueReference r[], size_t n, const fmi3Float64 v[]) IS_NOT_OFFERED
NOT_OFFERED(SetShiftFraction, const fmi3ValueReference r[], size_t n, const fmi3UInt64 a[], const fmi3UInt64 b[])
IS_NOT_OFFERED
NOT_OFFERED(UpdateDiscreteStates, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *d, fmi3Boolean *e, fmi3Boolean *f,
    fmi3Float64 *g)
IS_NOT_OFFERED
NOT_OFFERED(CompletedIntegratorStep, fmi3Boolean no_return, fmi3Boolean *events, fmi3Boolean *terminate) IS_NOT_OFFERED
NOT_OFFERED(SetTime, fmi3Float64 time) IS_NOT_OFFERED
NOT_OFFERED(SetContinuousStates, const fmi3Float64 x[], size_t n) IS_NOT_OFFERED
NOT_OFFERED(GetContinuousStateDerivatives, fmi3Float64 x[], size_t n) IS_NOT_OFFERED
NOT_OFFERED(GetEventIndicators, fmi3Float64 x[], size_t n) IS_NOT_OFFERED
NOT_OFFERED(GetContinuousStates, fmi3Float64 x[], size_t n) IS_NOT_OFFERED
NOT_OFFERED(GetNominalsOfContinuousStates, fmi3Float64 x[], size_t n) IS_NOT_OFFERED
NOT_OFFERED(GetNumberOfEventIndicators, size_t *n) IS_NOT_OFFERED
NOT_OFFERED(GetNumberOfContinuousStates, size_t *n) IS_NOT_OFFERED
NOT_OFFERED(GetOutputDerivatives, const fmi3ValueReference r[], size_t n, const fmi3Int32 orders[], fmi3Float64 v[],
    size_t m)
IS_NOT_OFFERED
NOT_OFFERED(ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time) IS_NOT_OFFERED

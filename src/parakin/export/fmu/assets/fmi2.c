/* The functions of FMI 2.0 for co-simulation around a core: values by reference, a begin, and steps.
 *
 * With -DFMI_HEADERS the standard's own headers are expected to have been included; otherwise the few types are here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#ifndef FMI_HEADERS
typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(
    fmi2ComponentEnvironment, fmi2String name, fmi2Status, fmi2String category, fmi2String message, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
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
    fmi2CallbackLogger logger;
    fmi2ComponentEnvironment environment;
    char name[64];
} instance;

#define NOT_STEPPING "steps are made between the end of the initialization mode and the termination"

/* Say what is wrong, if anything is, and return the status. */
static fmi2Status told(const instance *self, const char *wrong)
{
    if (wrong == NULL) {
        return fmi2OK;
    }
    if (self->logger != NULL) {
        self->logger(self->environment, self->name, fmi2Error, "logStatusError", "%s", wrong);
    }
    return fmi2Error;
}

EXPORTED const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORTED const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORTED fmi2Status fmi2SetDebugLogging(
    fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi2OK;
}

EXPORTED fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    instance *self;
    if (type != fmi2CoSimulation || token == NULL || strcmp(token, CORE_TOKEN) != 0) {
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self != NULL) {
        strncpy(self->name, name == NULL ? "" : name, sizeof self->name - 1);
        self->logger = functions == NULL ? NULL : functions->logger;
        self->environment = functions == NULL ? NULL : functions->componentEnvironment;
        core_defaults(&self->kept.core);
    }
    return self;
}

EXPORTED void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

EXPORTED fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
    fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((instance *)c)->kept.start = start;
    return fmi2OK;
}

EXPORTED fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    instance *self = c;
    if (self->kept.mode != INSTANTIATED) {
        return told(self, "this instance was initialized before: reset it first");
    }
    if (!(fabs(self->kept.start) < HUGE_VAL)) {
        return told(self, "the time of the start has to be finite");
    }
    self->kept.mode = INITIALIZING;
    return fmi2OK;
}

EXPORTED fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    instance *self = c;
    if (self->kept.mode != INITIALIZING) {
        return told(self, "the initialization mode has to be entered before it is left");
    }
    self->kept.mode = STEPPING;
    return told(self, core_begin(&self->kept.core, self->kept.start));
}

EXPORTED fmi2Status fmi2Terminate(fmi2Component c)
{
    instance *self = c;
    if (self->kept.mode != STEPPING) {
        return told(self, "what is terminated has been initialized, and was not terminated before");
    }
    self->kept.mode = TERMINATED;
    return fmi2OK;
}

EXPORTED fmi2Status fmi2Reset(fmi2Component c)
{
    instance *self = c;
    core_defaults(&self->kept.core);
    self->kept.mode = INSTANTIATED;
    return fmi2OK;
}

EXPORTED fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[])
{
    const instance *self = c;
    for (size_t k = 0; k < count; ++k) {
        if (references[k] >= CORE_VALUES) {
            return told(self, "a value reference is not one of this model");
        }
        values[k] = self->kept.core.value[references[k]];
    }
    return fmi2OK;
}

EXPORTED fmi2Status fmi2SetReal(
    fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[])
{
    instance *self = c;
    for (size_t k = 0; k < count; ++k) {
        if (references[k] >= CORE_SETTABLE) {
            return told(self, "only parameters and inputs can be set");
        }
        self->kept.core.value[references[k]] = values[k];
    }
    return fmi2OK;
}

/* All variables are real: of the other kinds there are none. */
#define OF_A_KIND_THERE_IS_NONE(kind, type)                                                                            \
    EXPORTED fmi2Status fmi2Get##kind(                                                                                 \
        fmi2Component c, const fmi2ValueReference references[], size_t count, type values[])                           \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return told(c, count == 0 ? NULL : "all variables of this model are real");                                    \
    }                                                                                                                  \
    EXPORTED fmi2Status fmi2Set##kind(                                                                                 \
        fmi2Component c, const fmi2ValueReference references[], size_t count, const type values[])                     \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return told(c, count == 0 ? NULL : "all variables of this model are real");                                    \
    }

OF_A_KIND_THERE_IS_NONE(Integer, fmi2Integer)
OF_A_KIND_THERE_IS_NONE(Boolean, fmi2Boolean)
OF_A_KIND_THERE_IS_NONE(String, fmi2String)

/* The whole state is a plain structure. */
EXPORTED fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    const instance *self = c;
    if (*state == NULL) {
        *state = malloc(sizeof self->kept);
    }
    if (*state == NULL) {
        return told(self, "there is no memory for a state");
    }
    memcpy(*state, &self->kept, sizeof self->kept);
    return fmi2OK;
}

EXPORTED fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(&((instance *)c)->kept, state, sizeof(kept));
    return fmi2OK;
}

EXPORTED fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

EXPORTED fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(kept);
    return fmi2OK;
}

EXPORTED fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < sizeof(kept)) {
        return told(c, "the bytes for a state are too few");
    }
    memcpy(bytes, state, sizeof(kept));
    return fmi2OK;
}

EXPORTED fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
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
    return fmi2OK;
}

EXPORTED fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return)
{
    instance *self = c;
    (void)no_return;
    return told(self, self->kept.mode == STEPPING ? core_step(&self->kept.core, time, step) : NOT_STEPPING);
}

/* What this model does not offer. */
EXPORTED fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
    const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[], fmi2Real result[])
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)result;
    return told(c, "this model has no directional derivatives");
}

EXPORTED fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer order[], const fmi2Real values[])
{
    (void)references, (void)order, (void)values;
    return told(c, count == 0 ? NULL : "inputs of this model are constant within a step");
}

EXPORTED fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer order[], fmi2Real values[])
{
    (void)references, (void)order, (void)values;
    return told(c, count == 0 ? NULL : "this model has no derivatives of outputs");
}

EXPORTED fmi2Status fmi2CancelStep(fmi2Component c)
{
    return told(c, "steps of this model end before they return");
}

#define NOTHING_IS_PENDING(kind, type)                                                                                 \
    EXPORTED fmi2Status fmi2Get##kind(fmi2Component c, const fmi2StatusKind what, type *value)                         \
    {                                                                                                                  \
        (void)c, (void)what, (void)value;                                                                              \
        return fmi2Discard;                                                                                            \
    }

NOTHING_IS_PENDING(Status, fmi2Status)
NOTHING_IS_PENDING(RealStatus, fmi2Real)
NOTHING_IS_PENDING(IntegerStatus, fmi2Integer)
NOTHING_IS_PENDING(BooleanStatus, fmi2Boolean)
NOTHING_IS_PENDING(StringStatus, fmi2String)

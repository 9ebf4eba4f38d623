package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests that names stay stable, because metric labels, Event reasons and command line texts contain them. */
class ReasonTest {
    @Test
    void reasonNamesAreStable() {
        assertThat(Arrays.stream(Reason.values()).map(Enum::name))
                .containsExactly(
                        "SpansCells",
                        "SourcesNotSynced",
                        "ClassMissing",
                        "Unmanaged",
                        "ClaimMissing",
                        "TemplateMissing",
                        "PodGroupMissing",
                        "ClaimNotCreated",
                        "NoConsumer",
                        "OtherSchedulingGate",
                        "Terminating",
                        "Rejected",
                        "Revoking",
                        "Reallocating",
                        "DeviceNotPublished",
                        "AdminAccessDenied",
                        "LimitExceeded",
                        "Unsupported",
                        "ConsumersExhausted",
                        "SelectorError",
                        "PoolIncomplete",
                        "PoolInvalid",
                        "NoUsableNode",
                        "ClassMatchesNoDevice",
                        "SelectorMatchesNoDevice",
                        "InsufficientDevicesPerNode",
                        "ConstraintUnsatisfied",
                        "CountersExceeded",
                        "CapacityExceeded",
                        "GroupsIncompatible",
                        "Tainted",
                        "DevicesInUse",
                        "CountersExhausted",
                        "CapacityExhausted",
                        "NodeFull",
                        "NodeResourcesUnknown",
                        "NodeRejected",
                        "InterPodConstraints",
                        "GangIncomplete",
                        "Earmarked",
                        "DoesNotFit",
                        "ObserveOnly",
                        "SearchBudgetExhausted",
                        "EvaluationPending");
    }

    @Test
    void funnelStepNamesAreStable() {
        assertThat(Arrays.stream(Funnel.FunnelStep.values()).map(Enum::name))
                .containsExactly(
                        "Known",
                        "OfClass",
                        "PassesSelector",
                        "HasCapacity",
                        "OnAllowedNode",
                        "Tolerated",
                        "Free",
                        "OnOneNode",
                        "SatisfiesConstraint");
    }

    @Test
    void policyNamesAreStable() {
        assertThat(Arrays.stream(PlacementPolicy.values()).map(PlacementPolicy::text))
                .containsExactly("first-fit", "best-fit");
    }

    @Test
    void reasonNamesAreValidConditionReasons() {
        assertThat(Reason.values())
                .allSatisfy(reason -> assertThat(reason.name()).matches("[A-Z][A-Za-z]{0,62}"));
    }

    @Test
    void retriesDeviceReasonsAfterCapacityChanges() {
        assertThat(Arrays.stream(Reason.values())
                        .filter(reason -> reason.retryTrigger() == Reason.RetryTrigger.CAPACITY))
                .contains(
                        Reason.LimitExceeded,
                        Reason.SelectorError,
                        Reason.PoolIncomplete,
                        Reason.PoolInvalid,
                        Reason.DevicesInUse,
                        Reason.Earmarked,
                        Reason.SearchBudgetExhausted);
    }

    /** The exceptions are faults of an object that a node does not repair, and a search without a result. */
    @Test
    void newNodeResolvesReasonsThatWaitForCapacity() {
        assertThat(Arrays.stream(Reason.values())
                        .filter(each -> each.retryTrigger() == Reason.RetryTrigger.CAPACITY)
                        .filter(each -> !each.isResolvedByNode()))
                .containsExactly(
                        Reason.DeviceNotPublished,
                        Reason.LimitExceeded,
                        Reason.SelectorError,
                        Reason.PoolIncomplete,
                        Reason.PoolInvalid,
                        Reason.SearchBudgetExhausted);
    }
}

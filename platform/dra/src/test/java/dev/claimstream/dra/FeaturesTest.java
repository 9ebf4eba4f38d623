package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FeaturesTest {
    @Test
    void theReleasesDifferInTheirDefaults() {
        assertThat(Features.of(KubernetesVersion.V1_36).has(Feature.FRACTIONAL_CAPACITY_RANGE))
                .isFalse();
        assertThat(Features.of(KubernetesVersion.V1_37).has(Feature.FRACTIONAL_CAPACITY_RANGE))
                .isTrue();
        assertThat(Features.defaults()).isEqualTo(Features.of(KubernetesVersion.V1_37));
        assertThat(Features.all().on()).hasSize(Feature.values().length);
    }

    @Test
    void gatesAreSetByTheirNames() {
        Features set = Features.defaults().with(" DRAConsumableCapacity=false, DRAListTypeAttributes=true,");
        assertThat(set.has(Feature.CONSUMABLE_CAPACITY)).isFalse();
        assertThat(set.has(Feature.LIST_TYPE_ATTRIBUTES)).isTrue();
        assertThat(set.has(Feature.PARTITIONABLE_DEVICES)).isTrue();
        assertThat(Features.defaults().with("")).isEqualTo(Features.defaults());
    }

    @Test
    void whatIsWrittenReadsBack() {
        Features some = Features.all().with(Feature.DEVICE_TAINTS, false);
        assertThat(Features.defaults().with(some.toString())).isEqualTo(some);
    }

    @Test
    void anUnknownGateIsNamedWithThoseThatAreKnown() {
        assertThatExceptionOfType(Features.RefusedGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRAEverything=true"))
                .withMessageStartingWith("feature gate DRAEverything is not known; known are DRAAdminAccess, ");
        assertThatExceptionOfType(Features.RefusedGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRADeviceTaints=on"))
                .withMessage("feature gate DRADeviceTaints=on: write NAME=true or NAME=false");
        assertThatExceptionOfType(Features.RefusedGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRADeviceTaints"));
    }

    @ParameterizedTest
    @EnumSource(GateWithoutEffect.class)
    void aGateWithoutEffectIsTakenAndChangesNothing(GateWithoutEffect gate) {
        assertThat(Features.of(KubernetesVersion.V1_37, gate.gate() + "=true")).isEqualTo(Features.defaults());
        assertThat(Features.defaults().with(gate.gate() + "=false")).isEqualTo(Features.defaults());
        assertThat(Feature.ofGate(gate.gate())).isEmpty();
        assertThat(Features.isKnown(gate.gate())).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "DynamicResourceAllocation, true, true",
        "KubeletPodResourcesDynamicResources, true, true",
        "DRAAdminAccess, true, true",
        "DRAPrioritizedList, false, true",
        "DRAResourceClaimDeviceStatus, false, true",
        "DRAExtendedResource, false, true",
        "DRADeviceTaints, false, false",
        "DRADeviceTaintRules, false, false",
        "DRAConsumableCapacity, false, false",
        "DRASchedulerFilterTimeout, false, false",
    })
    void aReleaseRefusesToTurnOffWhatItLocks(String gate, boolean isLockedIn136, boolean isLockedIn137) {
        isLocked(gate, KubernetesVersion.V1_36, isLockedIn136);
        isLocked(gate, KubernetesVersion.V1_37, isLockedIn137);
    }

    private static void isLocked(String gate, KubernetesVersion version, boolean isLocked) {
        assertThat(Features.of(version, gate + "=true").on()).containsAll(locked(version));
        if (isLocked) {
            assertThatExceptionOfType(Features.RefusedGateException.class)
                    .isThrownBy(() -> Features.of(version, gate + "=false"))
                    .withMessage(
                            "cannot set feature gate %s to false, feature is locked to true in Kubernetes %s: leave it out",
                            gate, version);
        } else {
            assertThat(Features.of(version, gate + "=false"))
                    .isEqualTo(Features.of(version).with(gate + "=false"));
        }
    }

    private static List<Feature> locked(KubernetesVersion version) {
        return Arrays.stream(Feature.values())
                .filter(each -> each.isLocked(version))
                .toList();
    }

    @Test
    void anAllocatorCanBeTriedWithGatesThatNoClusterHas() {
        assertThat(Features.defaults().with("DRAAdminAccess=false").has(Feature.ADMIN_ACCESS))
                .isFalse();
    }

    @Test
    void versionsHaveNames() {
        assertThat(KubernetesVersion.of("1.36")).contains(KubernetesVersion.V1_36);
        assertThat(KubernetesVersion.of("1.35")).isEmpty();
        assertThat(KubernetesVersion.V1_37).hasToString("1.37");
    }
}

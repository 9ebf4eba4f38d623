package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests defaults, parsing and locks of feature gates for each Kubernetes release. */
class FeatureGatesTest {
    @Test
    void usesDefaultsOfRelease() {
        assertThat(FeatureGates.of(KubernetesVersion.V1_36).has(Feature.FRACTIONAL_CAPACITY_RANGE))
                .isFalse();
        assertThat(FeatureGates.of(KubernetesVersion.V1_37).has(Feature.FRACTIONAL_CAPACITY_RANGE))
                .isTrue();
        assertThat(FeatureGates.defaults()).isEqualTo(FeatureGates.of(KubernetesVersion.V1_37));
        assertThat(FeatureGates.all().on()).hasSize(Feature.values().length);
    }

    @Test
    void parsesGatesByName() {
        FeatureGates set = FeatureGates.defaults().with(" DRAConsumableCapacity=false, DRAListTypeAttributes=true,");
        assertThat(set.has(Feature.CONSUMABLE_CAPACITY)).isFalse();
        assertThat(set.has(Feature.LIST_TYPE_ATTRIBUTES)).isTrue();
        assertThat(set.has(Feature.PARTITIONABLE_DEVICES)).isTrue();
        assertThat(FeatureGates.defaults().with("")).isEqualTo(FeatureGates.defaults());
    }

    @Test
    void parsesFormattedGates() {
        FeatureGates some = FeatureGates.all().with(Feature.DEVICE_TAINTS, false);
        assertThat(FeatureGates.defaults().with(some.toString())).isEqualTo(some);
    }

    @Test
    void rejectsUnknownGateAndListsKnownGates() {
        assertThatExceptionOfType(FeatureGates.InvalidFeatureGateException.class)
                .isThrownBy(() -> FeatureGates.defaults().with("DRAEverything=true"))
                .withMessageStartingWith("feature gate DRAEverything is not known; known are DRAAdminAccess, ");
        assertThatExceptionOfType(FeatureGates.InvalidFeatureGateException.class)
                .isThrownBy(() -> FeatureGates.defaults().with("DRADeviceTaints=on"))
                .withMessage("feature gate DRADeviceTaints=on: write NAME=true or NAME=false");
        assertThatExceptionOfType(FeatureGates.InvalidFeatureGateException.class)
                .isThrownBy(() -> FeatureGates.defaults().with("DRADeviceTaints"));
    }

    @ParameterizedTest
    @EnumSource(IgnoredFeatureGate.class)
    void ignoresGateWithoutEffect(IgnoredFeatureGate gate) {
        assertThat(FeatureGates.of(KubernetesVersion.V1_37, gate.gate() + "=true"))
                .isEqualTo(FeatureGates.defaults());
        assertThat(FeatureGates.defaults().with(gate.gate() + "=false")).isEqualTo(FeatureGates.defaults());
        assertThat(Feature.ofGate(gate.gate())).isEmpty();
        assertThat(FeatureGates.isKnown(gate.gate())).isTrue();
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
    void rejectsDisablingLockedGate(String gate, boolean isLockedIn136, boolean isLockedIn137) {
        assertLocked(gate, KubernetesVersion.V1_36, isLockedIn136);
        assertLocked(gate, KubernetesVersion.V1_37, isLockedIn137);
    }

    private static void assertLocked(String gate, KubernetesVersion version, boolean isLocked) {
        assertThat(FeatureGates.of(version, gate + "=true").on()).containsAll(locked(version));
        if (isLocked) {
            assertThatExceptionOfType(FeatureGates.InvalidFeatureGateException.class)
                    .isThrownBy(() -> FeatureGates.of(version, gate + "=false"))
                    .withMessage(
                            "cannot set feature gate %s to false, feature is locked to true in Kubernetes %s: leave it out",
                            gate, version);
        } else {
            assertThat(FeatureGates.of(version, gate + "=false"))
                    .isEqualTo(FeatureGates.of(version).with(gate + "=false"));
        }
    }

    private static List<Feature> locked(KubernetesVersion version) {
        return Arrays.stream(Feature.values())
                .filter(each -> each.isLocked(version))
                .toList();
    }

    @Test
    void disablesLockedGateWithoutReleaseCheck() {
        assertThat(FeatureGates.defaults().with("DRAAdminAccess=false").has(Feature.ADMIN_ACCESS))
                .isFalse();
    }

    @Test
    void resolvesVersionByName() {
        assertThat(KubernetesVersion.of("1.36")).contains(KubernetesVersion.V1_36);
        assertThat(KubernetesVersion.of("1.35")).isEmpty();
        assertThat(KubernetesVersion.V1_37).hasToString("1.37");
    }
}

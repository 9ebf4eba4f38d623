package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

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
        assertThatExceptionOfType(Features.UnknownGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRAEverything=true"))
                .withMessageStartingWith("feature gate DRAEverything is not known; known are DRAAdminAccess, ");
        assertThatExceptionOfType(Features.UnknownGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRADeviceTaints=on"))
                .withMessage("feature gate DRADeviceTaints=on: write NAME=true or NAME=false");
        assertThatExceptionOfType(Features.UnknownGateException.class)
                .isThrownBy(() -> Features.defaults().with("DRADeviceTaints"));
    }

    @Test
    void versionsHaveNames() {
        assertThat(KubernetesVersion.of("1.36")).contains(KubernetesVersion.V1_36);
        assertThat(KubernetesVersion.of("1.35")).isEmpty();
        assertThat(KubernetesVersion.V1_37).hasToString("1.37");
    }
}

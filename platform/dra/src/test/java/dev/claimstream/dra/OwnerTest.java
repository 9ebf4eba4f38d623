package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests which owners are pods and pod groups of Kubernetes. */
class OwnerTest {
    private static Owner owner(String apiVersion, String kind) {
        return new Owner(apiVersion, kind, "a", "u");
    }

    @Test
    void recognisesKindsOfKubernetes() {
        assertThat(Owner.pod("a", "u").isPod()).isTrue();
        assertThat(Owner.podGroup("a", "u").isPodGroup()).isTrue();
        assertThat(owner("scheduling.k8s.io/v1alpha3", "PodGroup").isPodGroup()).isTrue();
    }

    @Test
    void recognisesKindsWithoutVersion() {
        assertThat(owner("", "Pod").isPod()).isTrue();
        assertThat(owner("", "PodGroup").isPodGroup()).isTrue();
    }

    @Test
    void distinguishesKindsOfOtherGroups() {
        assertThat(owner("scheduling.volcano.sh/v1beta1", "PodGroup").isPodGroup())
                .isFalse();
        assertThat(owner("scheduling.x-k8s.io/v1alpha1", "PodGroup").isPodGroup())
                .isFalse();
        assertThat(owner("example.com/v1", "Pod").isPod()).isFalse();
        assertThat(Owner.pod("a", "u").isPodGroup()).isFalse();
    }

    @Test
    void returnsApiGroup() {
        assertThat(owner("batch.volcano.sh/v1alpha1", "Job").group()).isEqualTo("batch.volcano.sh");
        assertThat(owner("v1", "Pod").group()).isEmpty();
        assertThat(owner("", "Pod").group()).isEmpty();
    }
}

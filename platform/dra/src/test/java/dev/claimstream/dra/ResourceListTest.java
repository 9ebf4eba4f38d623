package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests units, notation and saturating arithmetic of resource lists. */
class ResourceListTest {
    @Test
    void convertsCpuToMillisAndRoundsUp() {
        assertThat(ResourceList.units("cpu", Quantity.parse("1.0001"))).isEqualTo(1001);
        assertThat(ResourceList.units("cpu", Quantity.parse("250m"))).isEqualTo(250);
        assertThat(ResourceList.units("memory", Quantity.parse("1Ki"))).isEqualTo(1024);
        assertThat(ResourceList.units("memory", Quantity.parse("100m"))).isEqualTo(1);
    }

    @Test
    void formatsAmountsAsKubernetesDoes() {
        assertThat(ResourceList.quantity("cpu", 1500)).hasToString("1500m");
        assertThat(ResourceList.quantity("cpu", 2000)).hasToString("2");
        assertThat(ResourceList.quantity("memory", 1024)).hasToString("1Ki");
        assertThat(ResourceList.quantity("memory", 1500)).hasToString("1500");
        assertThat(ResourceList.quantity("example.com/nic", 1024)).hasToString("1024");
    }

    @Test
    void treatsZeroAmountsAsAbsent() {
        assertThat(list(Map.of("cpu", 0L))).isEqualTo(ResourceList.none());
        assertThat(list(Map.of("cpu", 5L)).minus(list(Map.of("cpu", 5L))).isNone())
                .isTrue();
    }

    @Test
    void takesMaximumOfEachResource() {
        assertThat(list(Map.of("cpu", 5L, "memory", 1L)).max(list(Map.of("cpu", 3L, "pods", 2L))))
                .isEqualTo(list(Map.of("cpu", 5L, "memory", 1L, "pods", 2L)));
    }

    @Test
    void saturatesSums() {
        ResourceList most = list(Map.of("memory", Long.MAX_VALUE));
        assertThat(most.plus(most)).isEqualTo(most);
        assertThat(ResourceList.none().minus(most).minus(most).amount("memory")).isEqualTo(Long.MIN_VALUE);
    }

    private static ResourceList list(Map<String, Long> amounts) {
        return new ResourceList(new TreeMap<>(amounts));
    }
}

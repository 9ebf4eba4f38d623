package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which known release stands for the version that an API server reports. */
final class KubernetesVersionTest {
    @ParameterizedTest(name = "{0} is nearest to {1}")
    @CsvSource({
        "v1.36.4, 1.36",
        "1.36, 1.36",
        "v1.36.0-gke.1203000, 1.36",
        "v1.34.9+k3s1, 1.36",
        "v1.37.0-alpha.1, 1.37",
        "v1.40.1, 1.37",
        "v1.9999.0, 1.37",
        "v2.0.0, 1.37",
        "?, 1.37",
        "'', 1.37"
    })
    void resolvesNearestKnownRelease(String served, String nearest) {
        assertThat(KubernetesVersion.nearest(served)).hasToString(nearest);
    }
}

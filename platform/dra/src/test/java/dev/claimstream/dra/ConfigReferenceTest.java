package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of references in the place of parameters. */
final class ConfigReferenceTest {
    private static Stream<ConfigReference> references() {
        return Stream.of(
                new ConfigReference.ClaimConfigEntry(0),
                new ConfigReference.ClaimConfigEntry(31),
                new ConfigReference.StatusConfigEntry(2),
                new ConfigReference.ClassConfigEntry("gpu.example.com", 1234567890123L, 5));
    }

    @ParameterizedTest
    @MethodSource("references")
    void isReadAsItWasWritten(ConfigReference reference) {
        OpaqueConfig config = reference.replaceParameters(new OpaqueConfig("gpu.example.com", "{\"a\":1}"));
        assertThat(config.driver()).isEqualTo("gpu.example.com");
        assertThat(config.parameters())
                .startsWith("\"claimstream.dev/not-recorded: ")
                .endsWith("\"");
        assertThat(ConfigReference.of(config)).contains(reference);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"a\":\"claimstream.dev/not-recorded: spec.devices.config[0]\"}",
                "\"claimstream.dev/not-recorded: spec.devices.config[x]\"",
                "\"claimstream.dev/not-recorded: spec.other[0]\""
            })
    void parametersAreNoReference(String parameters) {
        assertThat(ConfigReference.of(new OpaqueConfig("gpu.example.com", parameters)))
                .isEmpty();
    }
}

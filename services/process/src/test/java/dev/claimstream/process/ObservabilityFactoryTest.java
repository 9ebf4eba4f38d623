package dev.claimstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.claimstream.observability.Traces;
import dev.claimstream.process.settings.InvalidSettingsException;
import io.micronaut.context.ApplicationContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The address of the collector in a context without checked settings, as that of {@code up}. */
final class ObservabilityFactoryTest {
    private static ApplicationContext context(String endpoint) {
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of("claimstream.tracing.endpoint", endpoint))
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"collector:4318", "http://a b", "http://collector:99999", "/v1", "ftp://collector"})
    void namesSettingValueAndRemedyOfInvalidCollector(String endpoint) {
        Throwable thrown = catchThrowable(() -> context(endpoint).close());
        Optional<List<String>> problems = InvalidSettingsException.in(thrown).map(InvalidSettingsException::problems);
        assertThat(problems)
                .contains(List.of(
                        "claimstream.tracing.endpoint is '%s': use an address like http://collector:4318, without"
                                        .formatted(endpoint)
                                + " user and password"));
    }

    @Test
    void hidesPasswordOfInvalidCollector() {
        Throwable thrown =
                catchThrowable(() -> context("http://me:hunter2@collector").close());
        assertThat(InvalidSettingsException.in(thrown).orElseThrow())
                .hasMessageContaining("http://…@collector")
                .hasMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1:1", " https://collector/otlp "})
    void tracesToValidCollector(String endpoint) {
        try (var context = context(endpoint)) {
            assertThat(context.getBean(Traces.class).isOn()).isTrue();
        }
    }

    @Test
    void tracesNothingWithoutCollector() {
        try (var context = context(" ")) {
            assertThat(context.getBean(Traces.class).isOn()).isFalse();
        }
    }
}

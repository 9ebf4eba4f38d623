package dev.claimstream.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Strict parsing of the Prometheus text format. */
final class PrometheusTextTest {
    private static List<MetricSample> read(String text) throws PrometheusText.PrometheusFormatException {
        return PrometheusText.read(text, metric -> true);
    }

    private static MetricSample line(String metric, Map<String, String> labels, double value) {
        return new MetricSample(metric, new TreeMap<>(labels), value);
    }

    @Test
    void readsLinesCommentsAndBlanks() throws PrometheusText.PrometheusFormatException {
        assertThat(
                        read(
                                "# HELP a what\n# TYPE a gauge\n\na 1\n  b{} 2.5 1700000000000\r\nc{x=\"1\",y=\"2\",} -3e-2\n# EOF\n"))
                .containsExactly(
                        line("a", Map.of(), 1), line("b", Map.of(), 2.5), line("c", Map.of("x", "1", "y", "2"), -0.03));
    }

    @Test
    void readsLabelsWithAnyCharacter() throws PrometheusText.PrometheusFormatException {
        assertThat(read("a{ x = \"a\\\\b\\\"c\\nd} 7,{\" , y=\"ü\" } 1"))
                .containsExactly(line("a", Map.of("x", "a\\b\"c\nd} 7,{", "y", "ü"), 1));
    }

    @ParameterizedTest
    @CsvSource({"NaN, NaN", "+Inf, Infinity", "-Inf, -Infinity", "1e5, 100000", ".5, 0.5", "5., 5", "+7, 7"})
    void readsFiniteAndNonFiniteValues(String text, double value) throws PrometheusText.PrometheusFormatException {
        assertThat(read("a " + text)).containsExactly(line("a", Map.of(), value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>",
                "{\"a\": 1}",
                "a",
                "a{ 1",
                "a{x} 1",
                "a{x=1} 1",
                "a{x=\"1} 1",
                "a{x=\"1\" y=\"2\"} 1",
                "a{x=\"\\t\"} 1",
                "a one",
                "a 0x10",
                "a 1 2 3",
                "a 1 now",
                "1a 1",
                "a-b 1",
                "a{x=\"1\"} 1 # {trace=\"x\"} 1"
            })
    void rejectsInvalidLineWithItsNumber(String text) {
        assertThatExceptionOfType(PrometheusText.PrometheusFormatException.class)
                .isThrownBy(() -> read("ok 1\n" + text))
                .withMessageStartingWith("line 2: ");
    }

    @Test
    void keepsOnlyRequestedMetrics() throws PrometheusText.PrometheusFormatException {
        assertThat(PrometheusText.read("a 1\nb 2\n", "b"::equals)).hasSize(1);
    }

    @Test
    void limitsLineCountAndLength() {
        assertThatExceptionOfType(PrometheusText.PrometheusFormatException.class)
                .isThrownBy(() -> read("a 1\n".repeat(200_001)));
        assertThatExceptionOfType(PrometheusText.PrometheusFormatException.class)
                .isThrownBy(() -> read("a{x=\"" + "y".repeat(20_000) + "\"} 1"));
    }
}

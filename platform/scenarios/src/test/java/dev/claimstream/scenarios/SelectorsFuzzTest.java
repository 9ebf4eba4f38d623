package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.scenarios.random.Grammar;
import dev.claimstream.scenarios.random.SampleDevices;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.selectors.Evaluation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Tests that arbitrary expressions compile or are rejected, and that evaluation stops at the cost limit of the API.
 */
class SelectorsFuzzTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final long COST_MAX = 1_000_000;
    /**
     * The largest cost of the last call, which may exceed the limit: its cost is charged first, and the call is then
     * skipped. A value within the limit has at most ten times as many elements as the limit. Comparing all pairs (a
     * tenth of them for texts) costs at most four times the square of the limit. {@code flatten} is charged by its
     * depth argument.
     */
    private static final long LAST_CALL_MAX = 4 * COST_MAX * COST_MAX;

    private static final CelSelectors SELECTORS = new CelSelectors();
    private static final Device DEVICE = device();

    private static Device device() {
        String text = SampleDevices.slice(SampleDevices.device(1)).json();
        return Manifests.read("sample", text).objects().stream()
                .map(ResourceSlice.class::cast)
                .findFirst()
                .orElseThrow()
                .devices()
                .getFirst();
    }

    @FuzzTest(maxDuration = "60s")
    void compilingAndEvaluatingEnd(byte[] bytes) {
        String expression = expression(bytes);
        Evaluation evaluation =
                assertTimeoutPreemptively(WITHIN, () -> SELECTORS.evaluate(expression, SampleDevices.DRIVER, DEVICE));
        String message = "%s costs %s".formatted(evaluation.match(), Long.toUnsignedString(evaluation.cost()));
        boolean isBounded = Long.compareUnsigned(evaluation.cost(), COST_MAX + LAST_CALL_MAX) <= 0;
        assertThat(isBounded || expression.contains("flatten")).as(message).isTrue();
        boolean isDear = Long.compareUnsigned(evaluation.cost(), COST_MAX) > 0;
        assertThat(!isDear || evaluation.match() instanceof Match.SelectorError)
                .as(message)
                .isTrue();
    }

    /** Returns the bytes as text. After a leading zero they choose from a grammar, which reaches more code. */
    private static String expression(byte[] bytes) {
        return bytes.length > 0 && bytes[0] == 0
                ? Grammar.of(Arrays.copyOfRange(bytes, 1, bytes.length)).text()
                : new String(bytes, StandardCharsets.UTF_8);
    }
}

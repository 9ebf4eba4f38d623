package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** Expressions that somebody made up compile or are refused, and evaluate within the limit. */
class SelectorsFuzzTest {
    private static final CelSelectors SELECTORS = new CelSelectors();

    @FuzzTest
    void compilingAndEvaluatingEnd(byte[] text) {
        String expression = new String(text, StandardCharsets.UTF_8);
        Evaluation evaluation = SELECTORS.evaluate(expression, Devices.DRIVER, Devices.named("gpu"));
        assertThat(evaluation.match()).isNotNull();
        assertThat(evaluation.cost()).isNotNegative();
    }
}

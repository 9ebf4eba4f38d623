package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Selector;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests expression results whose messages and values exceed the limits. */
final class ExpressionResultLimitsTest {
    private static final int LONG = 900_000;

    private static String message(String text) {
        return ExpressionResultLimits.limit(new Selector.Match.SelectorError(text))
                        instanceof Selector.Match.SelectorError(var message)
                ? message
                : "";
    }

    @Test
    void truncatesLongMessagesWithDigest() {
        String text = "x".repeat(LONG);
        assertThat(message(text))
                .startsWith("x".repeat(500) + "... (900000 characters, digest ")
                .hasSizeLessThan(600);
        assertThat(message(text)).isEqualTo(message(text)).isNotEqualTo(message(text.substring(1) + "y"));
        assertThat(message("no such key: memory")).isEqualTo("no such key: memory");
    }

    @Test
    void doesNotSplitSurrogatePairs() {
        String text = "x".repeat(499) + "\uD83D\uDE00" + "x".repeat(500);
        assertThat(message(text)).startsWith("x".repeat(499) + "... (");
    }

    @Test
    void rejectsLongDerivedValues() {
        assertThat(limit(new AttributeValue.StringValue("x".repeat(LONG))))
                .isEqualTo(new Derivation.DerivationOutcome.DerivationError(
                        "the derived value counts as 900000 characters, at most 1000 are possible", false));
        assertThat(limit(new AttributeValue.IntList(Collections.nCopies(LONG, 1L))))
                .isInstanceOf(Derivation.DerivationOutcome.DerivationError.class);
        assertThat(limit(new AttributeValue.StringList(Collections.nCopies(LONG, ""))))
                .isInstanceOf(Derivation.DerivationOutcome.DerivationError.class);
        var published = new AttributeValue.StringList(List.of("x".repeat(64), "y".repeat(64)));
        assertThat(limit(published)).isEqualTo(new Derivation.DerivationOutcome.DerivedAttributeValue(published));
    }

    private static Derivation.DerivationOutcome limit(AttributeValue value) {
        return ExpressionResultLimits.limit(new Derivation.DerivationOutcome.DerivedAttributeValue(value));
    }
}

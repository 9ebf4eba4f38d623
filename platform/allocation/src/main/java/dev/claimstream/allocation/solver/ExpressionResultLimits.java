package dev.claimstream.allocation.solver;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import java.util.List;

/**
 * Limits the size of expression results, so that one row of results fits into one Kafka record. Without a limit an
 * expression can produce a different message of 900 kB for each device.
 */
final class ExpressionResultLimits {
    /** Kept characters of a message. */
    static final int MESSAGE_MAX = 500;
    /** Largest length of a derived value. Upstream sets no limit; published strings have at most 64 bytes. */
    static final int VALUE_MAX = 1_000;
    /** Length of a number or a version. It is also added to the length of each string in a list. */
    private static final int ELEMENT_LENGTH = 8;

    private ExpressionResultLimits() {}

    static Selector.Match limit(Selector.Match match) {
        return match instanceof Selector.Match.SelectorError(var message) && message.length() > MESSAGE_MAX
                ? new Selector.Match.SelectorError(truncate(message))
                : match;
    }

    static Derivation.DerivationOutcome limit(Derivation.DerivationOutcome value) {
        return switch (value) {
            case Derivation.DerivationOutcome.DerivedAttributeValue(var found)
            when length(found) > VALUE_MAX ->
                new Derivation.DerivationOutcome.DerivationError(
                        "the derived value counts as %d characters, at most %d are possible"
                                .formatted(length(found), VALUE_MAX),
                        false);
            case Derivation.DerivationOutcome.DerivationError(var message, var isCompilation)
            when message.length() > MESSAGE_MAX ->
                new Derivation.DerivationOutcome.DerivationError(truncate(message), isCompilation);
            case Derivation.DerivationOutcome.DerivedAttributeValue _, Derivation.DerivationOutcome.DerivationError _ ->
                value;
        };
    }

    /** Truncates a message and appends a digest of the whole, so that different messages stay different. */
    private static String truncate(String message) {
        int end = Character.isHighSurrogate(message.charAt(MESSAGE_MAX - 1)) ? MESSAGE_MAX - 1 : MESSAGE_MAX;
        return "%s... (%d characters, digest %016x)"
                .formatted(
                        message.substring(0, end),
                        message.length(),
                        ReadKey.of(message).high());
    }

    private static long length(AttributeValue value) {
        return switch (value) {
            case AttributeValue.StringValue(var text) -> text.length();
            case AttributeValue.VersionValue(var text) -> text.length();
            case AttributeValue.StringList(var texts) -> length(texts);
            case AttributeValue.VersionList(var texts) -> length(texts);
            case AttributeValue.IntList(var numbers) -> (long) ELEMENT_LENGTH * numbers.size();
            case AttributeValue.BoolList(var each) -> (long) ELEMENT_LENGTH * each.size();
            case AttributeValue.IntValue _, AttributeValue.BoolValue _, AttributeValue.UnknownValue _ -> ELEMENT_LENGTH;
        };
    }

    private static long length(List<String> texts) {
        return texts.stream().mapToLong(text -> ELEMENT_LENGTH + text.length()).sum();
    }
}

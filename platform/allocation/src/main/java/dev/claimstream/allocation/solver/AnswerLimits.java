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
final class AnswerLimits {
    /** Kept characters of a message. */
    static final int MESSAGE_MAX = 500;
    /** Largest length of a derived value. Upstream sets no limit; published strings have at most 64 bytes. */
    static final int VALUE_MAX = 1_000;
    /** Length of a number or a version. It is also added to the length of each string in a list. */
    private static final int ELEMENT = 8;

    private AnswerLimits() {}

    static Selector.Match limited(Selector.Match match) {
        return match instanceof Selector.Match.Failed(var message) && message.length() > MESSAGE_MAX
                ? new Selector.Match.Failed(cut(message))
                : match;
    }

    static Derivation.Value limited(Derivation.Value value) {
        return switch (value) {
            case Derivation.Value.Found(var found)
            when length(found) > VALUE_MAX ->
                new Derivation.Value.Failed(
                        "the derived value counts as %d characters, at most %d are possible"
                                .formatted(length(found), VALUE_MAX),
                        false);
            case Derivation.Value.Failed(var message, var isCompilation)
            when message.length() > MESSAGE_MAX -> new Derivation.Value.Failed(cut(message), isCompilation);
            case Derivation.Value.Found _, Derivation.Value.Failed _ -> value;
        };
    }

    /** Truncates a message and appends a digest of the whole, so that different messages stay different. */
    private static String cut(String message) {
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
            case AttributeValue.IntList(var numbers) -> (long) ELEMENT * numbers.size();
            case AttributeValue.BoolList(var each) -> (long) ELEMENT * each.size();
            case AttributeValue.IntValue _, AttributeValue.BoolValue _, AttributeValue.Unknown _ -> ELEMENT;
        };
    }

    private static long length(List<String> texts) {
        return texts.stream().mapToLong(text -> ELEMENT + text.length()).sum();
    }
}

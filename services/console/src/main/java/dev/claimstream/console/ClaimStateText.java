package dev.claimstream.console;

import java.util.ArrayList;
import java.util.List;

/**
 * The state of a claim in the words of kubectl, separated by commas: {@code pending}, {@code allocated},
 * {@code allocated,reserved}, {@code deleted}, {@code deleted,allocated} or {@code deleted,allocated,reserved}.
 * Tables, explanations and the REST API contain this text. Source: printer of ResourceClaim in Kubernetes.
 */
public final class ClaimStateText {
    /** The claim has no allocation and is not being deleted. */
    public static final String PENDING = "pending";

    /** The claim has an allocation. */
    public static final String ALLOCATED = "allocated";

    /** The allocation has consumers. */
    public static final String RESERVED = "reserved";

    /** The claim is being deleted. */
    public static final String DELETED = "deleted";

    /** Reason of a pending claim without a decision yet, usually for milliseconds. */
    static final String UNPROCESSED = "Unprocessed";

    private static final List<String> WORDS = List.of(PENDING, ALLOCATED, RESERVED, DELETED);
    private static final String SEPARATOR = ",";

    private ClaimStateText() {}

    /** Returns the state of a claim. */
    static String of(boolean isDeleted, boolean isAllocated, boolean isReserved) {
        List<String> words = new ArrayList<>();
        if (isDeleted) {
            words.add(DELETED);
        }
        if (isAllocated) {
            words.add(ALLOCATED);
            if (isReserved) {
                words.add(RESERVED);
            }
        } else if (!isDeleted) {
            words.add(PENDING);
        }
        return String.join(SEPARATOR, words);
    }

    /** Returns whether a state has all words of another, in any order: {@code deleted,allocated} has {@code allocated}. */
    public static boolean contains(String state, String words) {
        return words(state).containsAll(words(words));
    }

    /** Returns whether a text has only words of states. */
    static boolean isKnown(String text) {
        return WORDS.containsAll(words(text));
    }

    /** Returns the words of states, for an error text. */
    static String knownWords() {
        return String.join(", ", WORDS);
    }

    private static List<String> words(String state) {
        return List.of(state.split(SEPARATOR, -1));
    }
}

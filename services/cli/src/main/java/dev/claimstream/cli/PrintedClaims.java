package dev.claimstream.cli;

import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.console.ClaimStateText;
import dev.claimstream.manifests.tree.Tree;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The last printed cells of each claim, so that a command that follows claims prints each change once. */
final class PrintedClaims {
    /**
     * Field of a claim that no longer exists. A claim in deletion without an allocation has the same state, but not this
     * field.
     */
    private static final String REMOVED = "removed";

    private final Map<String, List<String>> cells = new TreeMap<>();
    private final long listedChange;

    /**
     * Creates an empty set.
     *
     * @param listedChange number of the last change that the list before the changes contains
     */
    PrintedClaims(long listedChange) {
        this.listedChange = listedChange;
    }

    void setCells(JsonObject claim, List<String> printed) {
        cells.put(key(claim), printed);
    }

    /**
     * Returns the cells of a change if they differ from the last ones of the claim; empty for a change that the list contains.
     * A claim that no longer exists has the state {@code deleted}.
     *
     * @param change an element of the watch, with type and claim
     */
    Optional<List<String>> newCells(JsonObject change, Function<JsonObject, List<String>> columns) {
        if (change.find("number")
                .filter(each -> Long.parseLong(each) <= listedChange)
                .isPresent()) {
            return Optional.empty();
        }
        JsonObject claim = claim(change);
        List<String> now = columns.apply(claim);
        if (isRemoved(claim)) {
            cells.remove(key(claim));
            return Optional.of(now);
        }
        return now.equals(cells.put(key(claim), now)) ? Optional.empty() : Optional.of(now);
    }

    static JsonObject claim(JsonObject change) {
        JsonObject claim = change.item("claim");
        return change.text("type").equals("DELETED") ? removed(claim) : claim;
    }

    /** Returns whether the claim no longer exists. */
    static boolean isRemoved(JsonObject claim) {
        return claim.find(REMOVED).isPresent();
    }

    private static JsonObject removed(JsonObject claim) {
        return new JsonObject(Tree.mapping(fields -> {
            for (String name : List.of("namespace", "name", "created")) {
                claim.find(name).ifPresent(text -> fields.put(name, text));
            }
            fields.put("state", ClaimStateText.DELETED).put(REMOVED, "true");
        }));
    }

    private static String key(JsonObject claim) {
        return claim.text("namespace") + "/" + claim.text("name");
    }
}

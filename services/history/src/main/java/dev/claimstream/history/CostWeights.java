package dev.claimstream.history;

import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.util.Map;
import java.util.TreeMap;

/** Costs of an hour of a device, by its class. */
public final class CostWeights {
    private CostWeights() {}

    /**
     * Parses {@code CLASS=WEIGHT,…}; an empty text for none.
     *
     * @throws HistoryException if the text has another form, or a weight is negative
     */
    public static Map<String, Double> parse(String text) {
        Map<String, Double> weights = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            if (part.isBlank()) {
                continue;
            }
            int equals = part.indexOf('=');
            try {
                double weight = Double.parseDouble(part.substring(equals + 1));
                if (equals < 1 || !(weight >= 0) || Double.isInfinite(weight)) {
                    throw invalid(part);
                }
                weights.put(part.substring(0, equals).strip(), weight);
            } catch (NumberFormatException e) {
                throw invalid(part);
            }
        }
        return weights;
    }

    private static HistoryException invalid(String part) {
        return new HistoryException(
                HistoryProblem.INVALID_QUESTION,
                "cost weight %s: use CLASS=WEIGHT with a weight of at least 0, for example gpu-large=2.5"
                        .formatted(part));
    }
}

package dev.claimstream.history;

import java.util.Map;

/**
 * What the fold knows about a claim.
 *
 * @param epoch number of the source's list; -1 before the claim is observed
 * @param classes device class per request
 * @param releasedNumber the last decision whose devices were released; 0 for none
 */
record ClaimFact(
        String uid,
        String namespace,
        String name,
        String source,
        long epoch,
        long version,
        Map<String, String> classes,
        Map<String, String> labels,
        long releasedNumber) {
    ClaimFact {
        classes = Map.copyOf(classes);
        labels = Map.copyOf(labels);
    }

    static ClaimFact unknown(String uid, String namespace, String name) {
        return new ClaimFact(uid, namespace, name, "", -1, 0, Map.of(), Map.of(), 0);
    }

    ClaimFact observed(HistoryObservation.ClaimState state) {
        return new ClaimFact(
                uid,
                state.namespace(),
                state.name(),
                state.origin().source(),
                state.origin().epoch(),
                state.origin().version(),
                state.classes(),
                state.labels(),
                releasedNumber);
    }

    ClaimFact released(long number) {
        return new ClaimFact(
                uid, namespace, name, source, epoch, version, classes, labels, Math.max(number, releasedNumber));
    }

    boolean isNewerThan(HistoryObservation.ClaimState state) {
        return state.origin().isBefore(new HistoryObservation.Origin(source, epoch, version));
    }

    /** The class of a request; empty if it is not known. */
    String deviceClass(String request) {
        return classes.getOrDefault(request, "");
    }

    /** The class of the first request by name; empty if none is known. */
    String firstClass() {
        return classes.entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .orElse("");
    }
}

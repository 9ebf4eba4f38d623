package dev.claimstream.console;

import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Notifies listeners of changed claim summaries. Without listeners it does no work.
 * It is not thread-safe; {@link ClusterView} synchronises it.
 */
final class ClaimChangeNotifier {
    private final Function<ObjectKey, Optional<ClaimView>> currentView;
    private final List<ClaimListener> listeners = new ArrayList<>();
    private final Map<ObjectKey, String> lastSummaries = new HashMap<>();
    private long lastNumber;

    ClaimChangeNotifier(Function<ObjectKey, Optional<ClaimView>> now) {
        this.currentView = now;
    }

    /** Receives the changes of claims. */
    interface ClaimListener {
        /**
         * Handles a change of a claim.
         *
         * @param number as of {@link #lastNumber}
         * @param summary as of {@link ClaimJson#summary}; of a deleted claim the last one
         */
        void onChange(ChangeType sort, long number, ObjectKey claim, String summary);
    }

    /** The event types of a Kubernetes watch. */
    enum ChangeType {
        ADDED,
        MODIFIED,
        DELETED
    }

    void add(ClaimListener follower, Collection<ClaimView> claims, boolean fromStart) {
        if (listeners.isEmpty()) {
            lastSummaries.clear();
            claims.forEach(each -> lastSummaries.put(each.key(), summary(each)));
        }
        if (fromStart) {
            claims.forEach(each -> follower.onChange(ChangeType.ADDED, lastNumber, each.key(), summary(each)));
        }
        listeners.add(follower);
    }

    /** Returns the number of the last change. Numbers increase while the process runs. */
    long lastNumber() {
        return lastNumber;
    }

    void remove(ClaimListener follower) {
        listeners.remove(follower);
        if (listeners.isEmpty()) {
            lastSummaries.clear();
        }
    }

    void notifyIfChanged(Collection<ObjectKey> claims) {
        if (!listeners.isEmpty()) {
            claims.forEach(this::compare);
        }
    }

    private void compare(ObjectKey claim) {
        Optional<String> after = currentView.apply(claim).map(ClaimChangeNotifier::summary);
        Optional<String> before = Optional.ofNullable(lastSummaries.get(claim));
        if (after.equals(before)) {
            return;
        }
        after.ifPresentOrElse(text -> lastSummaries.put(claim, text), () -> lastSummaries.remove(claim));
        ChangeType sort =
                before.isEmpty() ? ChangeType.ADDED : after.isEmpty() ? ChangeType.DELETED : ChangeType.MODIFIED;
        String last = after.or(() -> before).orElse("");
        lastNumber++;
        List.copyOf(listeners).forEach(follower -> follower.onChange(sort, lastNumber, claim, last));
    }

    private static String summary(ClaimView claim) {
        return ClaimJson.summary(claim).json();
    }
}

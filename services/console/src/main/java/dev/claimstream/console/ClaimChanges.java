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
 * It is not thread-safe; {@link World} synchronises it.
 */
final class ClaimChanges {
    private final Function<ObjectKey, Optional<ClaimView>> now;
    private final List<Follower> followers = new ArrayList<>();
    private final Map<ObjectKey, String> shown = new HashMap<>();

    ClaimChanges(Function<ObjectKey, Optional<ClaimView>> now) {
        this.now = now;
    }

    /** Receives the changes of claims. */
    interface Follower {
        /**
         * Handles a change of a claim.
         *
         * @param summary as of {@link ClaimJson#summary}; of a deleted claim the last one
         */
        void told(Sort sort, ObjectKey claim, String summary);
    }

    /** The event types of a Kubernetes watch. */
    enum Sort {
        ADDED,
        MODIFIED,
        DELETED
    }

    void add(Follower follower, Collection<ClaimView> claims, boolean fromStart) {
        if (followers.isEmpty()) {
            shown.clear();
            claims.forEach(each -> shown.put(each.key(), summary(each)));
        }
        if (fromStart) {
            claims.forEach(each -> follower.told(Sort.ADDED, each.key(), summary(each)));
        }
        followers.add(follower);
    }

    void remove(Follower follower) {
        followers.remove(follower);
        if (followers.isEmpty()) {
            shown.clear();
        }
    }

    void mayHaveChanged(Collection<ObjectKey> claims) {
        if (!followers.isEmpty()) {
            claims.forEach(this::compare);
        }
    }

    private void compare(ObjectKey claim) {
        Optional<String> after = now.apply(claim).map(ClaimChanges::summary);
        Optional<String> before = Optional.ofNullable(shown.get(claim));
        if (after.equals(before)) {
            return;
        }
        after.ifPresentOrElse(text -> shown.put(claim, text), () -> shown.remove(claim));
        Sort sort = before.isEmpty() ? Sort.ADDED : after.isEmpty() ? Sort.DELETED : Sort.MODIFIED;
        String last = after.or(() -> before).orElse("");
        List.copyOf(followers).forEach(follower -> follower.told(sort, claim, last));
    }

    private static String summary(ClaimView claim) {
        return ClaimJson.summary(claim).json();
    }
}

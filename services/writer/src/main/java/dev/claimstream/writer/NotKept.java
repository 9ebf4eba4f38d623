package dev.claimstream.writer;

import dev.claimstream.dra.Allocation;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the API server has not kept of what was decided, for each claim. The claim changes when that is cleared, and is decided again:
 * without this the next decision would be written and cleared in its turn, and so on.
 */
final class NotKept {
    private static final int CLAIMS_MAX = 10_000;

    private final Map<String, Known> claims = new ConcurrentHashMap<>();

    private record Known(Set<Unkept> fields, String why) {}

    void note(String claimUid, Allocation decided, String why) {
        if (claims.size() >= CLAIMS_MAX) {
            claims.clear(); // each is tried once more then
        }
        claims.put(claimUid, new Known(Unkept.in(decided), why));
    }

    /**
     * Why this would not be kept either. It is answered once: what is decided after that comes of a change, and is tried. So is a decision
     * with other fields.
     */
    Optional<String> recall(String claimUid, Allocation decided) {
        return Optional.ofNullable(claims.remove(claimUid))
                .filter(known -> known.fields.equals(Unkept.in(decided)))
                .map(Known::why);
    }
}

package dev.claimstream.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReviewCacheTest {
    private static final UserIdentity USER = new UserIdentity("ann", "1", List.of("users"), Map.of());

    private final AtomicLong now = new AtomicLong();
    private final CountedReviewer reviewer = new CountedReviewer();
    private final ReviewCache cache =
            new ReviewCache(reviewer, Duration.ofSeconds(30), 100, now::get, () -> Instant.EPOCH.plusNanos(now.get()));

    /** Counts the reviews. */
    private static final class CountedReviewer implements AccessReviewer {
        private final List<String> asked = new ArrayList<>();
        private final Set<String> allowed = new TreeSet<>(Set.of("a", "c"));
        private boolean isDown;
        private boolean isExpired;

        private synchronized void ask(String what) {
            if (isDown) {
                throw ClusterFault.withRemedy("no response", "start it");
            }
            asked.add(what);
        }

        @Override
        public Optional<UserIdentity> authenticate(String token) {
            ask(token);
            return token.equals("good") || (token.endsWith(".good") && !isExpired)
                    ? Optional.of(USER)
                    : Optional.empty();
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            ask(permission + " " + namespace);
            return allowed.contains(namespace);
        }
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void asksAgainOnlyAfterTheTime() {
        assertThat(cache.authenticate("good")).contains(USER);
        assertThat(cache.authenticate("bad")).isEmpty();
        assertThat(cache.isAllowed(USER, AccessPermission.NAMESPACE, "a")).isTrue();
        reviewer.allowed.remove("a");
        pass(Duration.ofSeconds(29));
        assertThat(cache.authenticate("good")).contains(USER);
        assertThat(cache.authenticate("bad")).isEmpty();
        assertThat(cache.isAllowed(USER, AccessPermission.NAMESPACE, "a")).isTrue();
        assertThat(reviewer.asked).hasSize(3);
        pass(Duration.ofSeconds(1));
        assertThat(cache.isAllowed(USER, AccessPermission.NAMESPACE, "a")).isFalse();
        assertThat(cache.authenticate("good")).contains(USER);
        assertThat(reviewer.asked).hasSize(5);
    }

    private static String jwt(String payload) {
        return "e30."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(payload.getBytes(StandardCharsets.UTF_8))
                + ".good";
    }

    @Test
    void asksAgainAtExpiryOfToken() {
        String token = jwt("{\"exp\":10}");
        assertThat(cache.authenticate(token)).contains(USER);
        pass(Duration.ofSeconds(9));
        assertThat(cache.authenticate(token)).contains(USER);
        assertThat(reviewer.asked).hasSize(1);
        reviewer.isExpired = true;
        pass(Duration.ofSeconds(1));
        assertThat(cache.authenticate(token)).isEmpty();
        assertThat(cache.authenticate(token)).isEmpty();
        assertThat(reviewer.asked).hasSize(2);
    }

    @Test
    void readsExpiryOfWebTokensOnly() {
        assertThat(TokenExpiry.of(jwt("{\"exp\":1800000000,\"iat\":1}"))).contains(Instant.ofEpochSecond(1800000000));
        assertThat(TokenExpiry.of(jwt("{\"exp\":1.8e9}"))).contains(Instant.ofEpochSecond(1800000000));
        for (String none : List.of("good", jwt("{}"), jwt("{\"exp\":\"soon\"}"), jwt("{"), "a.%%.c", "..")) {
            assertThat(TokenExpiry.of(none)).as(none).isEmpty();
        }
    }

    @Test
    void reviewsSeveralNamespacesOnceEach() {
        assertThat(cache.allowed(USER, AccessPermission.NAMESPACE, List.of("a", "b", "c")))
                .containsExactlyInAnyOrder("a", "c");
        assertThat(cache.allowed(USER, AccessPermission.NAMESPACE, List.of("a", "b", "c")))
                .containsExactlyInAnyOrder("a", "c");
        assertThat(reviewer.asked).hasSize(3);
    }

    @Test
    void forgetsReviewsWhoseTimeIsOver() throws InterruptedException {
        var briefCache = new ReviewCache(reviewer, Duration.ofMillis(10), 100);
        assertThat(briefCache.allowed(USER, AccessPermission.NAMESPACE, List.of("a", "b")))
                .containsExactly("a");
        Instant until = Instant.now().plusSeconds(30);
        while (briefCache.size() > 0 && Instant.now().isBefore(until)) {
            Thread.sleep(50);
        }
        assertThat(briefCache.size())
                .as("reviews that are kept without a request")
                .isZero();
    }

    @Test
    void deniesWithoutApiServerAndKeptReview() {
        assertThat(cache.authenticate("good")).contains(USER);
        reviewer.isDown = true;
        assertThat(cache.authenticate("good")).contains(USER);
        pass(Duration.ofSeconds(30));
        assertThatThrownBy(() -> cache.authenticate("good"))
                .isInstanceOfSatisfying(AccessDeniedException.class, denied -> {
                    assertThat(denied.status()).isEqualTo(503);
                    assertThat(denied.problem()).isEqualTo("access cannot be checked: no response");
                    assertThat(denied.remedy()).isEqualTo("start it");
                });
        assertThatThrownBy(() -> cache.allowed(USER, AccessPermission.NAMESPACE, List.of("a")))
                .isInstanceOf(AccessDeniedException.class);
        reviewer.isDown = false;
        assertThat(cache.authenticate("good")).contains(USER);
    }
}

package dev.claimstream.kubernetes.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.claimstream.kubernetes.ClusterFault;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reviews of tokens and permissions, each kept for a limited time. Faults are not kept: without the API server and without a kept
 * review, the answer is 503. Tokens are kept as hashes. A review is removed when its time is over, also without a request. Safe for
 * use by several threads.
 */
public final class ReviewCache {
    private static final int UNAVAILABLE = 503;
    private static final int TOO_MANY = 429;
    private static final int PARALLEL_MAX = 16;
    private static final Duration WAIT_MAX = Duration.ofSeconds(10);

    private final AccessReviewer reviewer;
    private final Cache<String, TokenReview> users;
    private final Cache<PermissionKey, Boolean> permissions;
    private final Semaphore requests = new Semaphore(PARALLEL_MAX);
    private final InstantSource clock;

    /**
     * The answer about a token.
     *
     * @param expiry when the token itself says that it is no longer valid; absent if it says nothing
     */
    private record TokenReview(Optional<UserIdentity> user, Optional<Instant> expiry) {}

    private record PermissionKey(UserIdentity user, AccessPermission permission, String namespace) {}

    /**
     * Creates the cache.
     *
     * @param keepFor time after which Kubernetes is asked again
     * @param entriesMax limit of tokens, and of permissions
     */
    public ReviewCache(AccessReviewer reviewer, Duration keepFor, int entriesMax) {
        this(reviewer, keepFor, entriesMax, Ticker.systemTicker(), InstantSource.system());
    }

    /**
     * @param ticker for the age of reviews
     * @param clock for the expiry of tokens
     */
    ReviewCache(AccessReviewer reviewer, Duration keepFor, int entriesMax, Ticker ticker, InstantSource clock) {
        this.reviewer = reviewer;
        this.clock = clock;
        users = Caffeine.newBuilder()
                .expireAfterWrite(keepFor)
                .maximumSize(entriesMax)
                .ticker(ticker)
                .scheduler(Scheduler.systemScheduler())
                .build();
        permissions = Caffeine.newBuilder()
                .expireAfterWrite(keepFor)
                .maximumSize(entriesMax)
                .ticker(ticker)
                .scheduler(Scheduler.systemScheduler())
                .build();
    }

    /**
     * Returns the user of a token. A review is not used after the token has expired: the API server is asked again.
     *
     * @throws AccessDeniedException 503 if the API server does not answer, 429 if too many reviews are under way
     */
    Optional<UserIdentity> authenticate(String token) {
        String hash = hash(token);
        TokenReview known = users.getIfPresent(hash);
        if (known != null
                && (known.user.isEmpty()
                        || known.expiry
                                .filter(at -> !clock.instant().isBefore(at))
                                .isEmpty())) {
            return known.user;
        }
        Optional<UserIdentity> user = review(() -> reviewer.authenticate(token));
        users.put(hash, new TokenReview(user, TokenExpiry.of(token)));
        return user;
    }

    /** @throws AccessDeniedException 503 if the API server does not answer, 429 if too many reviews are under way */
    boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
        var key = new PermissionKey(user, permission, namespace);
        Boolean known = permissions.getIfPresent(key);
        if (known != null) {
            return known;
        }
        boolean isAllowed = review(() -> reviewer.isAllowed(user, permission, namespace));
        permissions.put(key, isAllowed);
        return isAllowed;
    }

    /** Returns those of the namespaces in which a user has a permission. They are reviewed in parallel. */
    List<String> allowed(UserIdentity user, AccessPermission permission, Collection<String> namespaces) {
        List<String> allowed = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String each : namespaces) {
            Boolean known = permissions.getIfPresent(new PermissionKey(user, permission, each));
            if (known == null) {
                unknown.add(each);
            } else if (known) {
                allowed.add(each);
            }
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> futures = new ArrayList<>();
            unknown.forEach(each -> futures.add(threads.submit(() -> isAllowed(user, permission, each))));
            for (int i = 0; i < futures.size(); i++) {
                if (futures.get(i).get()) {
                    allowed.add(unknown.get(i));
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AccessDeniedException denied
                    ? denied
                    : new IllegalStateException("a review failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("the review was interrupted", "try again");
        }
        return allowed;
    }

    /** Number of kept reviews. */
    long size() {
        return users.estimatedSize() + permissions.estimatedSize();
    }

    private <T> T review(Supplier<T> review) {
        try {
            if (!requests.tryAcquire(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AccessDeniedException(
                        TOO_MANY, "too many requests wait for the API server", "Authorization", "try again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("the review was interrupted", "try again");
        }
        try {
            return review.get();
        } catch (ClusterFault e) {
            throw unavailable(
                    "access cannot be checked: " + e.problem(),
                    e.remedy().isEmpty() ? "try again when the API server answers" : e.remedy());
        } finally {
            requests.release();
        }
    }

    private static AccessDeniedException unavailable(String problem, String remedy) {
        return new AccessDeniedException(UNAVAILABLE, problem, "Authorization", remedy);
    }

    private static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}

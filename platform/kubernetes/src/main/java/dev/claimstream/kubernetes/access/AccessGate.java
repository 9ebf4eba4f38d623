package dev.claimstream.kubernetes.access;

import java.util.Locale;
import java.util.Optional;

/**
 * Admits the callers of a service: on loopback every caller, in a cluster users with a token that Kubernetes accepts.
 *
 * @param reviews reviews of Kubernetes; empty on loopback
 */
public record AccessGate(Optional<ReviewCache> reviews) {
    /** Admits every caller that reaches the address. */
    public static final AccessGate LOOPBACK = new AccessGate(Optional.empty());

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int TOKEN_LENGTH_MAX = 16_384;
    private static final String SCHEME = "bearer ";
    private static final String HEADER = "Authorization";
    private static final String REMEDY =
            "send the header Authorization: Bearer TOKEN with a token that the API server accepts";

    /** Admits users by the reviews of Kubernetes. */
    public static AccessGate of(ReviewCache reviews) {
        return new AccessGate(Optional.of(reviews));
    }

    /** Returns whether Kubernetes decides. */
    public boolean isReviewing() {
        return reviews.isPresent();
    }

    /**
     * Returns the caller of a request.
     *
     * @param authorization the header {@code Authorization}
     * @throws AccessDeniedException 401 without a valid token, 503 if the API server does not answer
     */
    public Caller caller(Optional<String> authorization) {
        if (reviews.isEmpty()) {
            return Caller.local();
        }
        String token = authorization
                .filter(each -> each.toLowerCase(Locale.ROOT).startsWith(SCHEME))
                .map(each -> each.substring(SCHEME.length()).strip())
                .filter(each -> !each.isEmpty() && each.length() <= TOKEN_LENGTH_MAX)
                .orElseThrow(() ->
                        new AccessDeniedException(UNAUTHORIZED, "the request has no bearer token", HEADER, REMEDY));
        UserIdentity user = reviews.get()
                .authenticate(token)
                .orElseThrow(() -> new AccessDeniedException(
                        UNAUTHORIZED, "the API server does not accept the token", HEADER, REMEDY));
        return new Caller.TokenCaller(user, token, reviews.get());
    }

    /**
     * Applies the rule of a route to a caller.
     *
     * @param rule empty if the route has none
     * @param namespace the namespace in path or query
     * @throws AccessDeniedException 403, or 503 if the API server does not answer
     */
    public static void check(Caller caller, Optional<RouteRule> rule, Optional<String> namespace) {
        if (caller.isLocal()) {
            return;
        }
        switch (rule.orElseThrow(() ->
                new AccessDeniedException(FORBIDDEN, "this path has no access rule", "path", "report this as a bug"))) {
            case OPEN, USER -> {}
            case NAMESPACE -> caller.require(AccessPermission.NAMESPACE, namespace.orElse(""));
            case VISIBLE -> namespace.ifPresent(each -> caller.require(AccessPermission.NAMESPACE, each));
            case AUDIT -> caller.require(AccessPermission.AUDIT, "");
            case LOOPBACK ->
                throw new AccessDeniedException(
                        FORBIDDEN, "this service does not change objects of a cluster", "path", "use kubectl");
        }
    }
}

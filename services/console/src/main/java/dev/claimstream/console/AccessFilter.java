package dev.claimstream.console;

import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.process.access.AccessSettings;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.env.Environment;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.sse.Event;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.UriRouteMatch;
import java.time.Duration;
import java.util.Optional;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Lets Kubernetes decide about callers: a TokenReview names the user, SubjectAccessReviews decide what the user sees.
 *
 * <p>{@link ClusterView} returns only visible objects to a controller. The names of others in messages are hidden here, in every answer.
 * A stream ends when its token or a permission has changed, after the time for which reviews are kept.
 */
@ServerFilter("/**")
@Requires(property = AccessSettings.MODE, value = AccessSettings.KUBERNETES)
final class AccessFilter implements Ordered {
    /** After the checks of the host and of the reader. */
    private static final int ORDER = 100;

    private static final String NAMESPACE = "namespace";

    private final AccessGate gate;
    private final ClusterView clusterView;
    private final Duration checkInterval;

    AccessFilter(AccessGate gate, Environment settings, ClusterView clusterView) {
        this.gate = gate;
        this.clusterView = clusterView;
        this.checkInterval = AccessSettings.keepFor(settings);
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @RequestFilter
    @ExecuteOn(TaskExecutors.BLOCKING)
    @Nullable
    HttpResponse<?> admit(HttpRequest<?> request) {
        RequestAccess.set(request, Caller.local(), RequestAccess.NOTHING);
        try {
            Optional<UriRouteMatch<?, ?>> route = RouteAttributes.getRouteMatch(request)
                    .filter(UriRouteMatch.class::isInstance)
                    .map(each -> (UriRouteMatch<?, ?>) each);
            Optional<RouteRule> rule = route.flatMap(AccessFilter::rule);
            if (rule.filter(each -> each == RouteRule.OPEN).isPresent()) {
                return null;
            }
            Caller caller = gate.caller(request.getHeaders().findFirst(HttpHeaders.AUTHORIZATION));
            if (route.isEmpty()) {
                return null; // there is no such path
            }
            AccessGate.check(caller, rule, namespace(request, route.get()));
            RequestAccess.set(request, caller, caller.visible(clusterView.namespaces()));
            return null;
        } catch (AccessDeniedException e) {
            return rejected(e);
        }
    }

    private static Optional<RouteRule> rule(UriRouteMatch<?, ?> route) {
        return ConsoleRoutes.ROUTES.rule(
                route.getHttpMethod().name(),
                route.getRouteInfo().getUriMatchTemplate().toPathString());
    }

    private static Optional<String> namespace(HttpRequest<?> request, UriRouteMatch<?, ?> route) {
        return Optional.ofNullable(route.getVariableValues().get(NAMESPACE))
                .map(Object::toString)
                .or(() -> request.getParameters().getFirst(NAMESPACE));
    }

    private static HttpResponse<?> rejected(AccessDeniedException denied) {
        MutableHttpResponse<String> response = RejectedRequestException.response(
                HttpStatus.valueOf(denied.status()), denied.problem(), denied.where(), denied.remedy());
        return denied.status() == HttpStatus.UNAUTHORIZED.getCode()
                ? response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
                : response;
    }

    @ResponseFilter
    void hideNames(HttpRequest<?> request, MutableHttpResponse<?> response) {
        response.header(HttpHeaders.VARY, HttpHeaders.AUTHORIZATION);
        VisibleObjects visible = RequestAccess.visible(request);
        Object body = response.body();
        if (body instanceof Publisher<?> stream) {
            response.body(Flux.from(stream)
                    .map(each -> redacted(visible, each))
                    .takeUntilOther(changeOf(RequestAccess.caller(request), visible)));
        } else if (body instanceof String text && !visible.isEverything()) {
            response.body(redaction(visible).of(text));
        }
        if (response.getHeaders().findFirst(HttpHeaders.CACHE_CONTROL).isEmpty()) {
            response.header(HttpHeaders.CACHE_CONTROL, "no-store");
        }
    }

    private Object redacted(VisibleObjects visible, Object part) {
        if (visible.isEverything()) {
            return part;
        }
        return switch (part) {
            case String text -> redaction(visible).of(text);
            case Event<?> event
            when event.getData() instanceof String data ->
                Event.of(event, redaction(visible).of(data));
            default -> part;
        };
    }

    private NameRedaction redaction(VisibleObjects visible) {
        return visible.redaction(clusterView.namespaces());
    }

    /** Emits once, when the token or a permission of the caller has changed. */
    private Publisher<Boolean> changeOf(Caller caller, VisibleObjects visible) {
        return Flux.interval(checkInterval)
                .onBackpressureDrop()
                .publishOn(Schedulers.boundedElastic())
                .filter(_ -> hasChanged(caller, visible))
                .map(_ -> true)
                .next();
    }

    private boolean hasChanged(Caller caller, VisibleObjects visible) {
        try {
            return !caller.isCurrent()
                    || !caller.visible(clusterView.namespaces()).equals(visible);
        } catch (AccessDeniedException e) {
            return true; // the API server does not answer: the next request says why
        }
    }
}

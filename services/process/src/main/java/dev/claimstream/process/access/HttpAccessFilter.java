package dev.claimstream.process.access;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.HostCheck;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.RouteTable;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks host, caller and route of a request to a server of the JDK, before the server reads its body. The handler of the request, on the
 * same thread, gets the caller from {@link #caller}.
 */
public final class HttpAccessFilter extends Filter {
    private static final Logger LOG = LoggerFactory.getLogger(HttpAccessFilter.class);
    private static final ScopedValue<Caller> CALLER = ScopedValue.newInstance();
    private static final String JSON = "application/json";
    private static final String NAMESPACE = "namespace";
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;

    /** Maximum number of requests of a user that are answered at once: the other threads are for other users. */
    private static final int PER_USER_MAX = 4;

    private final HostCheck hosts;
    private final AccessGate gate;
    private final RouteTable routes;
    private final Function<AccessDeniedException, String> body;

    /** The callers whose requests are being answered, once per request. */
    private final List<String> answering = new ArrayList<>();

    /**
     * Creates the filter.
     *
     * @param body renders a rejection as JSON
     */
    public HttpAccessFilter(
            HostCheck hosts, AccessGate gate, RouteTable routes, Function<AccessDeniedException, String> body) {
        this.hosts = hosts;
        this.gate = gate;
        this.routes = routes;
        this.body = body;
    }

    /**
     * Returns the caller of the request that this thread answers.
     *
     * @throws IllegalStateException outside of a request
     */
    public static Caller caller() {
        return CALLER.orElseThrow(() -> new IllegalStateException("no request is answered by this thread"));
    }

    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
        Caller caller;
        try {
            caller = admit(exchange);
            begin(caller);
        } catch (AccessDeniedException e) {
            reject(exchange, e);
            return;
        }
        try {
            ScopedValue.where(CALLER, caller).call(() -> {
                chain.doFilter(exchange);
                return true;
            });
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the chain throws no other exception", e);
        } finally {
            end(caller);
        }
    }

    private void begin(Caller caller) {
        synchronized (answering) {
            if (caller instanceof Caller.TokenCaller
                    && answering.stream().filter(caller.name()::equals).count() >= PER_USER_MAX) {
                throw new AccessDeniedException(
                        TOO_MANY,
                        "%d requests of user %s are under way, the maximum".formatted(PER_USER_MAX, caller.name()),
                        "Authorization",
                        "wait for their answers");
            }
            answering.add(caller.name());
        }
    }

    private void end(Caller caller) {
        synchronized (answering) {
            answering.remove(caller.name());
        }
    }

    private Caller admit(HttpExchange exchange) {
        hosts.check(new HostCheck.RequestSource(
                exchange.getRequestMethod(),
                exchange.getRequestHeaders().getOrDefault("Host", List.of()),
                Optional.of(exchange.getRequestURI().toString())
                        .filter(_ -> exchange.getRequestURI().isAbsolute()),
                header(exchange, "Origin"),
                header(exchange, "Sec-Fetch-Site")));
        Optional<RouteTable.RouteMatch> route = routes.find(
                exchange.getRequestMethod(), exchange.getRequestURI().getPath());
        if (route.filter(each -> each.rule() == RouteRule.OPEN).isPresent()) {
            return gate.isReviewing() ? Caller.anonymous() : Caller.local();
        }
        Caller caller = gate.caller(header(exchange, "Authorization"));
        if (!caller.isLocal()) {
            RouteTable.RouteMatch found = route.orElseThrow(() -> new AccessDeniedException(
                    NOT_FOUND, "there is no such path", "path", "GET /api/v1 lists all paths"));
            Optional<String> namespace =
                    Optional.ofNullable(found.variables().get(NAMESPACE)).or(() -> parameter(exchange));
            AccessGate.check(caller, Optional.of(found.rule()), namespace);
        }
        return caller;
    }

    private static Optional<String> header(HttpExchange exchange, String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }

    private static Optional<String> parameter(HttpExchange exchange) {
        return Optional.ofNullable(exchange.getRequestURI().getRawQuery()).stream()
                .flatMap(query -> Arrays.stream(query.split("&", -1)))
                .filter(each -> each.startsWith(NAMESPACE + "="))
                .map(each -> URLDecoder.decode(each.substring(NAMESPACE.length() + 1), StandardCharsets.UTF_8))
                .findFirst();
    }

    private void reject(HttpExchange exchange, AccessDeniedException denied) throws IOException {
        LOG.atInfo()
                .addKeyValue("caller", AccessLogLine.caller(exchange))
                .addKeyValue("request", AccessLogLine.cut(exchange.getRequestMethod() + " " + exchange.getRequestURI()))
                .addKeyValue("status", denied.status())
                .log("a request was rejected: {}", denied.problem());
        byte[] bytes = body.apply(denied).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", JSON);
        if (denied.status() == UNAUTHORIZED) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
        }
        try (exchange) {
            exchange.sendResponseHeaders(denied.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public String description() {
        return "access";
    }
}

package dev.claimstream.kubernetes.access;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The access rule of each route of a service. A route without a rule is rejected, except on loopback.
 *
 * @param rules by method and path template, as in {@code GET /api/v1/claims/{name}}
 */
public record RouteTable(Map<String, RouteRule> rules) {
    private static final String SEPARATOR = "/";

    public RouteTable {
        rules = Map.copyOf(rules);
    }

    /** Creates a table. */
    public static RouteTable of(SequencedMap<String, RouteRule> rules) {
        return new RouteTable(rules);
    }

    /** A route with its rule and the variables of its path. */
    public record RouteMatch(String route, RouteRule rule, Map<String, String> variables) {
        public RouteMatch {
            variables = Map.copyOf(variables);
        }
    }

    /** Returns the rule of a route. {@code HEAD} has the rule of {@code GET}. */
    public Optional<RouteRule> rule(String method, String template) {
        return Optional.ofNullable(rules.get(key(method, template)));
    }

    private static String key(String method, String template) {
        return (method.equals("HEAD") ? "GET" : method) + " " + template;
    }

    /** Returns the route of a decoded path. */
    public Optional<RouteMatch> find(String method, String path) {
        return rule(method, path)
                .map(rule -> new RouteMatch(key(method, path), rule, Map.of()))
                .or(() -> rules.entrySet().stream()
                        .flatMap(each -> match(each.getKey(), each.getValue(), key(method, path)).stream())
                        .findFirst());
    }

    private static Optional<RouteMatch> match(String route, RouteRule rule, String path) {
        List<String> template = List.of(route.split(SEPARATOR, -1));
        List<String> parts = List.of(path.split(SEPARATOR, -1));
        if (template.size() != parts.size()) {
            return Optional.empty();
        }
        Map<String, String> variables = new TreeMap<>();
        for (int i = 0; i < parts.size(); i++) {
            String name = template.get(i);
            if (name.startsWith("{")) {
                variables.put(name.substring(1, name.length() - 1), parts.get(i));
            } else if (!name.equals(parts.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(new RouteMatch(route, rule, variables));
    }

    /**
     * Compares the table with the routes of a service; for its tests.
     *
     * @param routes as the keys of the table
     * @return one sentence with a remedy per difference
     */
    public List<String> problems(Set<String> routes) {
        Set<String> without = new TreeSet<>(routes);
        without.removeAll(rules.keySet());
        Set<String> unknown = new TreeSet<>(rules.keySet());
        unknown.removeAll(routes);
        return Stream.concat(
                        without.stream()
                                .map(each ->
                                        "%s has no access rule: add it to the table of routes, with VISIBLE if it reads the cluster"
                                                .formatted(each)),
                        unknown.stream().map(each -> "%s is no route: remove its rule".formatted(each)))
                .toList();
    }
}

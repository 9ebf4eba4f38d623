package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonMappingException;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A context of one or more kubeconfig files, with its cluster and user checked to exist.
 *
 * @param fileNames paths of the files
 * @param user name of the user in the files; empty if the context names none
 */
record Kubeconfig(String fileNames, io.fabric8.kubernetes.api.model.Config content, String context, String user) {
    private static final Pattern LOCATION = Pattern.compile("line (\\d{1,9}), column (\\d{1,9})");
    private static final String REMEDY = "use the format of 'kubectl config view --raw'";

    /**
     * Reads and merges kubeconfig files. For each name the first file that defines it counts.
     *
     * @param contextName the context; absent: the current context of the first file that has one
     * @throws IllegalArgumentException if the files are unusable; the message contains the location and the remedy
     */
    static Kubeconfig read(List<Path> files, Optional<String> contextName) {
        String location = files.stream().map(Path::toString).collect(Collectors.joining(" and "));
        var content = merge(files.stream()
                .map(Kubeconfig::requireReadable)
                .map(Kubeconfig::content)
                .toList());
        String name = contextName
                .or(() -> Optional.ofNullable(content.getCurrentContext()))
                .orElse("");
        Context context = context(location, content, name);
        checkCluster(location, content, name, context.getCluster());
        return new Kubeconfig(location, content, name, user(location, content, name, context));
    }

    private static Path requireReadable(Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("kubeconfig %s cannot be read: name a readable file".formatted(file));
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException("kubeconfig %s is a directory: name a file in it".formatted(file));
        }
        return file;
    }

    /** Merges files. Each entry remembers its file, because relative paths in it refer to that file. */
    private static io.fabric8.kubernetes.api.model.Config merge(List<io.fabric8.kubernetes.api.model.Config> all) {
        var merged = new io.fabric8.kubernetes.api.model.Config();
        merged.setContexts(
                firstByName(all, io.fabric8.kubernetes.api.model.Config::getContexts, NamedContext::getName));
        merged.setClusters(
                firstByName(all, io.fabric8.kubernetes.api.model.Config::getClusters, NamedCluster::getName));
        merged.setUsers(firstByName(all, io.fabric8.kubernetes.api.model.Config::getUsers, NamedAuthInfo::getName));
        all.stream()
                .map(io.fabric8.kubernetes.api.model.Config::getCurrentContext)
                .filter(each -> !isBlank(each))
                .findFirst()
                .ifPresent(merged::setCurrentContext);
        return merged;
    }

    private static <T> List<T> firstByName(
            List<io.fabric8.kubernetes.api.model.Config> all,
            Function<io.fabric8.kubernetes.api.model.Config, List<T>> parts,
            Function<T, String> name) {
        Set<String> known = new HashSet<>();
        List<T> firsts = new ArrayList<>();
        for (var each : all) {
            for (T part : withoutNulls(parts.apply(each))) {
                if (known.add(String.valueOf(name.apply(part)))) {
                    firsts.add(part);
                }
            }
        }
        return firsts;
    }

    /** Returns the client configuration of the context. */
    Config config() {
        Config config = Config.empty();
        KubeConfigUtils.merge(config, context, content);
        tokenFile().ifPresent(file -> config.setOauthTokenProvider(new TokenFile(file)));
        return config;
    }

    /** Returns the token file of the user. It takes precedence over a token in the kubeconfig. */
    private Optional<Path> tokenFile() {
        return withoutNulls(content.getUsers()).stream()
                .filter(each -> user.equals(each.getName()))
                .flatMap(each -> Optional.ofNullable(each.getUser()).stream())
                .map(AuthInfo::getTokenFile)
                .filter(file -> !isBlank(file))
                .map(Path::of)
                .findFirst();
    }

    /** Describes the source of the credentials for error messages. */
    String credentialsSource() {
        return "%s of context %s in %s".formatted(user.isEmpty() ? "no user" : "user " + user, context, fileNames);
    }

    private static io.fabric8.kubernetes.api.model.Config content(Path file) {
        try {
            var content = KubeConfigUtils.parseConfig(file.toFile());
            withoutNulls(content.getUsers()).stream()
                    .flatMap(each -> Optional.ofNullable(each.getUser()).stream())
                    .filter(user -> !isBlank(user.getTokenFile()))
                    .forEach(user -> user.setTokenFile(
                            file.resolveSibling(user.getTokenFile()).toString()));
            return content;
        } catch (RuntimeException e) { // exceptions of two libraries, whose messages name internal types
            throw new IllegalArgumentException(
                    "%s is not a kubeconfig: %s: %s".formatted(file, describeError(e), REMEDY), e);
        }
    }

    /** Describes a parse error with its line, column or field. */
    private static String describeError(Throwable thrown) {
        Throwable first = thrown;
        String location = "";
        String field = "";
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            first = each;
            if (each instanceof JsonMappingException typed && !typed.getPath().isEmpty()) {
                field = path(typed.getPath());
            }
            Matcher matcher = LOCATION.matcher(String.valueOf(each.getMessage()));
            if (location.isEmpty() && matcher.find()) {
                location = " at line %s, column %s".formatted(matcher.group(1), matcher.group(2));
            }
        }
        if (first instanceof JsonMappingException) {
            return field.isEmpty()
                    ? "it is not an object with fields"
                    : "%s has a value of another type".formatted(field);
        }
        return location.isEmpty() ? "it cannot be read" : "it is not YAML" + location;
    }

    private static String path(List<JsonMappingException.Reference> path) {
        var text = new StringBuilder();
        for (JsonMappingException.Reference each : path) {
            if (each.getFieldName() == null) {
                text.append('[').append(each.getIndex()).append(']');
            } else {
                text.append(text.isEmpty() ? "" : ".").append(each.getFieldName());
            }
        }
        return text.toString();
    }

    private static Context context(String location, io.fabric8.kubernetes.api.model.Config content, String name) {
        Optional<NamedContext> found = withoutNulls(content.getContexts()).stream()
                .filter(each -> name.equals(each.getName()))
                .findFirst();
        if (name.isEmpty() || found.isEmpty()) {
            throw new IllegalArgumentException(
                    name.isEmpty()
                            ? "%s has no current context: name one".formatted(location)
                            : "%s has no context %s: see kubectl config get-contexts".formatted(location, name));
        }
        return Optional.ofNullable(found.get().getContext()).orElseGet(Context::new);
    }

    private static void checkCluster(
            String location, io.fabric8.kubernetes.api.model.Config content, String context, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(
                    "context %s of %s names no cluster: kubectl config set-context %s --cluster=NAME"
                            .formatted(context, location, context));
        }
        Cluster cluster = withoutNulls(content.getClusters()).stream()
                .filter(each -> name.equals(each.getName()))
                .findFirst()
                .map(NamedCluster::getCluster)
                .orElseThrow(() -> new IllegalArgumentException(
                        "context %s of %s names cluster %s, which does not exist: see kubectl config get-clusters"
                                .formatted(context, location, name)));
        if (isBlank(cluster.getServer())) {
            throw new IllegalArgumentException(
                    "cluster %s of %s has no server: kubectl config set-cluster %s --server=URL"
                            .formatted(name, location, name));
        }
    }

    private static String user(
            String location, io.fabric8.kubernetes.api.model.Config content, String context, Context found) {
        String name = Optional.ofNullable(found.getUser()).orElse("");
        if (!name.isEmpty()
                && withoutNulls(content.getUsers()).stream().noneMatch(each -> name.equals(each.getName()))) {
            throw new IllegalArgumentException(
                    "context %s of %s names user %s, which does not exist: see kubectl config get-users"
                            .formatted(context, location, name));
        }
        return name;
    }

    private static <T> List<T> withoutNulls(@Nullable List<T> list) {
        return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }
}

package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonMappingException;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A context of a file as kubectl reads it, all of whose parts are there.
 *
 * @param user in the words of the file; empty where the context names none
 */
record Kubeconfig(Path file, io.fabric8.kubernetes.api.model.Config content, String context, String user) {
    private static final Pattern PLACE = Pattern.compile("line (\\d{1,9}), column (\\d{1,9})");
    private static final String REMEDY = "write it as 'kubectl config view --raw' prints one";

    /**
     * Reads it.
     *
     * @param wanted the context; absent: its current one
     * @throws IllegalArgumentException where it cannot be used, with the place and the remedy
     */
    static Kubeconfig read(Path file, Optional<String> wanted) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    "kubeconfig %s cannot be read: name a file that is there".formatted(file));
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException("kubeconfig %s is a directory: name a file in it".formatted(file));
        }
        var content = content(file);
        String name = wanted.or(() -> Optional.ofNullable(content.getCurrentContext()))
                .orElse("");
        Context context = context(file, content, name);
        checkCluster(file, content, name, context.getCluster());
        return new Kubeconfig(file, content, name, user(file, content, name, context));
    }

    /** The settings of a client. */
    Config config() {
        Config config = Config.empty();
        KubeConfigUtils.merge(config, context, content);
        return config;
    }

    /** Who speaks, for whoever has to mend it. */
    String who() {
        return "%s of context %s in %s".formatted(user.isEmpty() ? "nobody" : "user " + user, context, file);
    }

    private static io.fabric8.kubernetes.api.model.Config content(Path file) {
        try {
            return KubeConfigUtils.parseConfig(file.toFile());
        } catch (RuntimeException e) { // of two libraries, which name the types of their code
            throw new IllegalArgumentException("%s is not a kubeconfig: %s: %s".formatted(file, wrong(e), REMEDY), e);
        }
    }

    /** What is wrong with the text, by its place. */
    private static String wrong(Throwable thrown) {
        Throwable first = thrown;
        String place = "";
        String field = "";
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            first = each;
            if (each instanceof JsonMappingException typed && !typed.getPath().isEmpty()) {
                field = path(typed.getPath());
            }
            Matcher said = PLACE.matcher(String.valueOf(each.getMessage()));
            if (place.isEmpty() && said.find()) {
                place = " at line %s, column %s".formatted(said.group(1), said.group(2));
            }
        }
        if (first instanceof JsonMappingException) {
            return field.isEmpty() ? "it is no object with fields" : "%s has a value of another type".formatted(field);
        }
        return place.isEmpty() ? "it cannot be read" : "it is no YAML" + place;
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

    private static Context context(Path file, io.fabric8.kubernetes.api.model.Config content, String name) {
        Optional<NamedContext> found = some(content.getContexts()).stream()
                .filter(each -> name.equals(each.getName()))
                .findFirst();
        if (name.isEmpty() || found.isEmpty()) {
            throw new IllegalArgumentException(
                    name.isEmpty()
                            ? "%s has no current context: name one".formatted(file)
                            : "%s has no context %s: see kubectl config get-contexts".formatted(file, name));
        }
        return Optional.ofNullable(found.get().getContext()).orElseGet(Context::new);
    }

    private static void checkCluster(
            Path file, io.fabric8.kubernetes.api.model.Config content, String context, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(
                    "context %s of %s names no cluster: kubectl config set-context %s --cluster=NAME"
                            .formatted(context, file, context));
        }
        Cluster cluster = some(content.getClusters()).stream()
                .filter(each -> name.equals(each.getName()))
                .findFirst()
                .map(NamedCluster::getCluster)
                .orElseThrow(() -> new IllegalArgumentException(
                        "context %s of %s names cluster %s, which is not there: see kubectl config get-clusters"
                                .formatted(context, file, name)));
        if (isBlank(cluster.getServer())) {
            throw new IllegalArgumentException(
                    "cluster %s of %s has no server: kubectl config set-cluster %s --server=URL"
                            .formatted(name, file, name));
        }
    }

    private static String user(
            Path file, io.fabric8.kubernetes.api.model.Config content, String context, Context found) {
        String name = Optional.ofNullable(found.getUser()).orElse("");
        if (!name.isEmpty() && some(content.getUsers()).stream().noneMatch(each -> name.equals(each.getName()))) {
            throw new IllegalArgumentException(
                    "context %s of %s names user %s, which is not there: see kubectl config get-users"
                            .formatted(context, file, name));
        }
        return name;
    }

    private static <T> List<T> some(@Nullable List<T> list) {
        return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }
}

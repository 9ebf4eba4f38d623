package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * A build of the engine in which one line of one source file differs. It has classes of its own: all classes of the
 * engine, and those that call the engine.
 */
final class EngineMutant extends ClassLoader {
    private static final Path SOURCES = Path.of("..", "allocation", "src", "main", "java");
    private static final List<String> PACKAGES =
            List.of("dev.claimstream.allocation.", "dev.claimstream.wire.", "dev.claimstream.audit.streams.");

    private final Path classes;

    private EngineMutant(Path classes) {
        super(EngineMutant.class.getClassLoader());
        this.classes = classes;
    }

    /**
     * Compiles a changed copy of a source file of the engine.
     *
     * @param type class of the source file
     * @param original text that the file has exactly once
     * @param folder empty; gets the copy and its classes
     */
    static EngineReplay build(String type, String original, String replacement, Path folder) throws Exception {
        compile(type, original, replacement, folder);
        Class<?> replay = new EngineMutant(folder).loadClass(LogEngineReplay.class.getName());
        assertThat(replay).isNotEqualTo(LogEngineReplay.class);
        return (EngineReplay) replay.getConstructor().newInstance();
    }

    private static void compile(String type, String original, String replacement, Path folder) throws IOException {
        Path source = SOURCES.resolve(type.replace('.', '/') + ".java");
        String text = Files.readString(source);
        assertThat(text.split(Pattern.quote(original), -1))
                .as("%s has '%s' once", source, original)
                .hasSize(2);
        Path copy = Files.writeString(folder.resolve(source.getFileName()), text.replace(original, replacement));
        var messages = new ByteArrayOutputStream();
        int exit = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        messages,
                        messages,
                        "-proc:none",
                        "-implicit:none",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        copy.toString());
        assertThat(exit).as(messages.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(folder.resolve(file(type))).exists();
    }

    private static String file(String type) {
        return type.replace('.', '/') + ".class";
    }

    private static boolean isOfBuild(String type) {
        return PACKAGES.stream().anyMatch(type::startsWith) && !type.startsWith(EngineReplay.class.getName());
    }

    @Override
    protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
        if (!isOfBuild(type)) {
            return super.loadClass(type, resolve);
        }
        synchronized (getClassLoadingLock(type)) {
            Optional<Class<?>> loaded = Optional.ofNullable(findLoadedClass(type));
            return loaded.isPresent() ? loaded.get() : findClass(type);
        }
    }

    @Override
    protected Class<?> findClass(String type) throws ClassNotFoundException {
        try (InputStream in = open(type)) {
            byte[] bytes = in.readAllBytes();
            return defineClass(type, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(type, e);
        }
    }

    /** The changed class, or that of the build of the tests. */
    private InputStream open(String type) throws IOException, ClassNotFoundException {
        Path changed = classes.resolve(file(type));
        return Files.exists(changed)
                ? Files.newInputStream(changed)
                : Optional.ofNullable(getResourceAsStream(file(type)))
                        .orElseThrow(() -> new ClassNotFoundException(type));
    }
}

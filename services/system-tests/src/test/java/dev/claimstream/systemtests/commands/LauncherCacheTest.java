package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which start-up caches the launcher keeps, with programs in place of Maven and the JVM. */
class LauncherCacheTest {
    private static final String MAVEN = """
            #!/bin/sh
            mkdir -p services/cli/target/lib
            echo 1 >services/cli/target/claimstream-cli-1.jar
            echo 1 >services/cli/target/lib/library.jar
            """;

    /** Writes the file of its mode. A build at the same time replaces a jar. */
    private static final String JAVA = """
            #!/bin/bash
            for argument in "$@"; do
              case $argument in
                -XX:AOTMode=*) mode=${argument#*=} ;;
                -XX:AOTConfiguration=*) record=${argument#*=} ;;
                -XX:AOTCache=*) cache=${argument#*=} ;;
              esac
            done
            case $mode in
              record) echo classes >"$record" ;;
              create) echo classes >"$cache" ;;
            esac
            if [ "$mode" = "$REPLACED_IN" ]; then echo another >services/cli/target/lib/library.jar; fi
            """;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void installTree() throws IOException {
        Files.copy(Path.of("..", "..", "claimstream"), folder.resolve("claimstream"));
        Files.createDirectories(folder.resolve("jdk/bin"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
        createProgram("jdk/bin/java", JAVA);
        createProgram("jdk/bin/javac", "#!/bin/sh\n");
        Files.createDirectories(folder.resolve("bin"));
        createProgram("bin/mvn", MAVEN);
    }

    private void createProgram(String name, String script) throws IOException {
        Path file = Files.writeString(folder.resolve(name), script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @ParameterizedTest
    @CsvSource({"never, 1", "record, 0", "create, 0"})
    void keepsNoCacheOfReplacedJars(String mode, int caches) throws IOException, InterruptedException {
        var builder = new ProcessBuilder("bash", "claimstream", "run", "file.yaml")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("PATH", "%s%s/usr/bin:/bin".formatted(folder.resolve("bin"), File.pathSeparator));
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("CLAIMSTREAM_AOT", "train");
        builder.environment().put("REPLACED_IN", mode);
        builder.environment()
                .keySet()
                .removeAll(List.of("CLAIMSTREAM_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Process run = builder.start();
        assertThat(run.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(folder.resolve("out"))).isZero();
        try (Stream<Path> state = Files.list(folder.resolve(".claimstream"))) {
            assertThat(state.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".aot")))
                    .hasSize(caches)
                    .allMatch(name -> name.startsWith("app-"));
        }
    }
}

package dev.claimstream.cli.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the default data folder by variable, platform and user. */
final class DataFolderTest {
    private static final String LINUX = "Linux";
    private static final Path HOME = Path.of("/home/user");

    private static String defaultPath(String system, Map<String, String> environment) {
        return DataFolder.defaultPath(environment, system, HOME).toString();
    }

    @Test
    void prefersClaimstreamDataVariable() {
        var environment = Map.of("CLAIMSTREAM_DATA", "/srv/claimstream", "XDG_DATA_HOME", "/data");
        assertThat(defaultPath(LINUX, environment)).isEqualTo("/srv/claimstream");
        assertThat(defaultPath("Mac OS X", environment)).isEqualTo("/srv/claimstream");
        assertThat(defaultPath(LINUX, Map.of("CLAIMSTREAM_DATA", " ", "XDG_DATA_HOME", "/data")))
                .isEqualTo("/data/claimstream");
    }

    @Test
    void usesPlatformDataFolderWithoutVariable() {
        assertThat(defaultPath(LINUX, Map.of("XDG_DATA_HOME", "/data"))).isEqualTo("/data/claimstream");
        assertThat(defaultPath(LINUX, Map.of())).isEqualTo("/home/user/.local/share/claimstream");
        assertThat(defaultPath("Mac OS X", Map.of("XDG_DATA_HOME", "/data")))
                .isEqualTo("/home/user/Library/Application Support/claimstream");
    }

    @Test
    void ignoresRelativeDataHome() {
        assertThat(defaultPath(LINUX, Map.of("XDG_DATA_HOME", "data")))
                .isEqualTo("/home/user/.local/share/claimstream");
    }
}

package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Tests that {@code deploy/SECURITY.md} has the permissions of the service accounts of the chart. With {@code
 * -Dsecurity.page.write=true} it writes the table.
 */
final class AccountTableTest {
    private static final Path PAGE = Path.of("..", "..", "deploy", "SECURITY.md");
    private static final String BEGIN = "<!-- generated: accounts -->\n";
    private static final String END = "<!-- end accounts -->\n";

    @Test
    void pageHasPermissionsOfChart() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        String table = "| account | verbs | resource | role |\n|---|---|---|---|\n" + AccountPermission.table();
        if (Boolean.getBoolean("security.page.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end))
                .as("write it: ./claimstream check -pl platform/kubernetes -Dtest=AccountTableTest"
                        + " -Dsecurity.page.write=true")
                .isEqualTo(table);
    }

    @Test
    void patchRemovesOnePermissionFromItsRule() {
        for (AccountPermission each : AccountPermission.all()) {
            assertThat(each.rulesPatch(true)).as(each.toString()).isNotEqualTo(each.rulesPatch(false));
        }
        AccountPermission getPods = AccountPermission.all().stream()
                .filter(each -> each.toString().equals("writer: get pods"))
                .findFirst()
                .orElseThrow();
        assertThat(getPods.rulesPatch(false))
                .contains("{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"patch\"]}");
    }
}

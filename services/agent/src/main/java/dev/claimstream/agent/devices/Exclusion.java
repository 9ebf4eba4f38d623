package dev.claimstream.agent.devices;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Pattern of devices that are not published.
 *
 * <p>Forms: {@code 0000:3b:00.0} or {@code 0000:3b:*} (address with wildcards), {@code 10de:2335} (vendor and device),
 * {@code driver=vfio-pci} (bound kernel driver), {@code type=nic}.
 */
public record Exclusion(String text) {
    private static final Pattern IDS = Pattern.compile("[0-9a-f]{4}:[0-9a-f]{4}");
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f:.*]+");
    private static final String DRIVER = "driver=";
    private static final String TYPE = "type=";

    public Exclusion {
        text = text.strip().toLowerCase(Locale.ROOT);
        boolean isNamed = text.startsWith(DRIVER) || text.startsWith(TYPE);
        if (!isNamed && !ADDRESS.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "claimstream.agent.exclude has %s: use an address like 0000:3b:00.0 or 0000:3b:*, ids like 10de:2335, driver=NAME or type=NAME"
                            .formatted(text));
        }
    }

    boolean matches(Accelerator device) {
        PciFunction function = device.function();
        if (text.startsWith(DRIVER)) {
            return function.driver()
                    .filter(text.substring(DRIVER.length())::equals)
                    .isPresent();
        }
        if (text.startsWith(TYPE)) {
            return device.type().equals(text.substring(TYPE.length()));
        }
        return IDS.matcher(text).matches()
                ? text.equals(function.vendor() + ":" + function.device())
                : function.address().text().matches(text.replace(".", "\\.").replace("*", ".*"));
    }
}

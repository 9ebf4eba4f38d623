package dev.claimstream.cli.output;

import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
public final class CliVersion implements IVersionProvider {
    /** Returns the version of this program, or {@code (unpacked)} outside of an archive. */
    public static String release() {
        String version = CliVersion.class.getPackage().getImplementationVersion();
        return version == null ? "(unpacked)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"claimstream " + release()};
    }
}

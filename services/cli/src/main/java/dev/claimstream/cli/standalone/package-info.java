/** The standalone runner: a broker, a schema registry and all services in one process. */
@NullMarked
package dev.claimstream.cli.standalone;

import org.jspecify.annotations.NullMarked;

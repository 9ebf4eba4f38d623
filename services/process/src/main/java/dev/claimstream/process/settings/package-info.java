/** The settings of the services: their catalog, their files and their check at a start. */
@NullMarked
package dev.claimstream.process.settings;

import org.jspecify.annotations.NullMarked;

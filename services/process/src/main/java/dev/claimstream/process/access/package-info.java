/** Access to the HTTP servers of services: settings, and a filter for the server of the JDK. */
@NullMarked
package dev.claimstream.process.access;

import org.jspecify.annotations.NullMarked;

package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.text.PlainText;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The place of a listener. A process that receives it over a network can determine whether it can reach the listener.
 * The text form consists of these parts, separated by spaces; the directory's path, which comes last, may contain
 * spaces.
 *
 * <pre>
 *   BOOT-ID PORT DEVICE:INODE DIRECTORY
 * </pre>
 *
 * <p>Containers on one machine have the same boot id, but may have different directories under the same path.
 * Therefore, the identity of the socket's file is part of the place: a process that finds a different file at the path
 * has no route.
 *
 * @param bootId random number that the kernel chose when the machine booted
 * @param port the listener's port
 * @param file device and inode of the socket
 * @param directory path of the socket's directory, as the listener sees it
 */
record ShmPlace(String bootId, int port, String file, String directory) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String SAME_DIRECTORY = "set rocketbufs.shm.directory to the same directory on both sides";
    private static final String SAME_MOUNT = "mount the same directory into the containers of both sides";
    private static final int PART_COUNT = 4;
    private static final int MAX_PORT = 65_535;

    /**
     * Returns the place of a listener of this process.
     *
     * @throws IOException if the socket no longer exists
     */
    static ShmPlace of(ShmDirectory directory, int port) throws IOException {
        return new ShmPlace(
                readBootId(),
                port,
                identity(directory.socket(port)),
                directory.path().toString());
    }

    /** Returns the machine's boot id. */
    static String readBootId() throws IOException {
        return Files.readString(BOOT_ID).strip();
    }

    private static String identity(Path socket) throws IOException {
        Map<String, Object> found = Files.readAttributes(socket, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
        return Long.toHexString((long) found.get("dev")) + ":" + Long.toHexString((long) found.get("ino"));
    }

    /**
     * Parses a place from its text form.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if the text is malformed
     */
    static ShmPlace parse(String text) {
        String[] parts = text.split(" ", PART_COUNT);
        boolean isComplete = parts.length == PART_COUNT && parts[1].matches("[0-9]{1,5}");
        int port = isComplete ? Integer.parseInt(parts[1]) : 0;
        if (port == 0 || port > MAX_PORT) {
            throw ShmFailures.noRoute("the peer described its listener in an unknown form");
        }
        return new ShmPlace(parts[0], port, parts[2], parts[3]);
    }

    /**
     * Returns the address at which a process can connect to the listener.
     *
     * @param ownBootId the boot id of the process's machine
     * @param own the directory in which the process looks for sockets
     * @throws io.rocketbufs.rocketnet.TransportException if the process cannot reach the listener; the message states
     *     the reason
     */
    InetSocketAddress route(String ownBootId, ShmDirectory own) {
        if (!bootId.equals(ownBootId)) {
            throw ShmFailures.noRoute("the peer runs on another machine");
        }
        Path socket = own.socket(port);
        try {
            if (identity(socket).equals(file)) {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            }
            throw ShmFailures.noRoute(socket + " is not the peer's socket, which is in another " + shownDirectory()
                    + "; " + (hasPathOf(own) ? SAME_MOUNT : SAME_DIRECTORY));
        } catch (NoSuchFileException e) {
            throw ShmFailures.noRoute(
                    hasPathOf(own)
                            ? "there is no socket " + socket
                                    + ": the peer no longer listens, or the path leads to another"
                                    + " directory on its side; " + SAME_MOUNT
                            : "the peer's sockets are in " + shownDirectory() + ", but this process looks for them in "
                                    + own.path() + "; " + SAME_DIRECTORY);
        } catch (AccessDeniedException e) {
            throw ShmFailures.noRoute("permission denied for " + socket + "; " + ShmFailures.PERMISSION_REMEDY);
        } catch (IOException e) {
            throw ShmFailures.noRoute(socket + ": " + Reason.of(e));
        }
    }

    private boolean hasPathOf(ShmDirectory own) {
        return own.path().toString().equals(directory);
    }

    private String shownDirectory() {
        return PlainText.of(directory);
    }

    @Override
    public String toString() {
        return bootId + " " + port + " " + file + " " + directory;
    }
}

package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The directory that contains the sockets of listeners, one for each port.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class ShmDirectory {
    /** Maximum length of a socket's file name in the directory, including the separator. */
    private static final int NAME_LENGTH = "/65535.sock".length();

    /** Maximum number of bytes in the directory's path. */
    static final int MAX_LENGTH = ShmSocket.MAX_PATH_LENGTH - NAME_LENGTH;

    private static final String USER = "unix:uid";
    private static final String PRIVATE = "rwx------";
    private static final String OF_GROUP = "rwxr-x---";

    private final Path path;
    private final ShmPeers peers;

    ShmDirectory(Path path, ShmPeers peers) {
        this.path = path;
        this.peers = peers;
    }

    /** Returns the directory to use if the configuration does not specify one. */
    static Path ofUser(String runtimeDirectory) {
        if (runtimeDirectory != null && runtimeDirectory.startsWith("/")) {
            Path path = Path.of(runtimeDirectory, "rocketbufs");
            if (length(path) <= MAX_LENGTH) {
                return path;
            }
        }
        String user = Integer.toUnsignedString(ShmPeers.currentUser());
        Path run = Path.of("/run/user", user);
        return Files.isDirectory(run) ? run.resolve("rocketbufs") : Path.of("/tmp", "rocketbufs-" + user);
    }

    /** Returns the length of a path in bytes. */
    static int length(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    Path path() {
        return path;
    }

    /** Returns the path of a port's socket. */
    Path socket(int port) {
        return path.resolve(port + ".sock");
    }

    /** Returns the path of the file that a port's listener locks. */
    Path lock(int port) {
        return path.resolve(port + ".lock");
    }

    /**
     * Creates the directory if necessary, and checks that no other user can replace its files.
     *
     * @throws IOException if the directory cannot be used; the message states the reason and the remedy
     */
    void prepare() throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
            if (peers.hasGroup()) {
                share(path, OF_GROUP);
            }
        } catch (FileAlreadyExistsException e) {
            check();
        }
    }

    private void check() throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is not a directory; set rocketbufs.shm.directory to another path");
        }
        if ((int) Files.getAttribute(path, USER) != ShmPeers.currentUser()) {
            throw new IOException(path + " belongs to another user; set rocketbufs.shm.directory to another path");
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE)
                || permissions.contains(PosixFilePermission.GROUP_WRITE)) {
            throw new IOException("other users may write to " + path + "; run chmod go-w " + path);
        }
        if (peers.hasGroup() && PosixFilePermissions.toString(permissions).equals(PRIVATE)) {
            // The directory may have been created before the group was configured.
            share(path, OF_GROUP);
        }
    }

    /**
     * Allows only this user and the members of the configured group to connect to a socket, regardless of the umask.
     */
    void protect(Path socket) throws IOException {
        if (peers.hasGroup()) {
            share(socket, "rw-rw----");
        } else {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /** Makes a file accessible to the configured group. */
    private void share(Path file, String permissions) throws IOException {
        try {
            Files.setAttribute(file, "unix:gid", peers.group());
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        } catch (IOException e) {
            throw new IOException(
                    "cannot give " + file + " to the group rocketbufs.shm.group: " + Reason.of(e)
                            + "; this user must be a member of the group",
                    e);
        }
    }
}

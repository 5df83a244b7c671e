/**
 * Slabs, regions and pools of off-heap memory.
 *
 * <p>A {@link io.rocketbufs.memory.MemoryPool} reserves {@linkplain io.rocketbufs.memory.Slab slabs} of address space
 * and cuts {@linkplain io.rocketbufs.memory.Region regions} from them. Memory belongs here and not to a transport, so
 * that one buffer can be written by one transport and read by another, and so that a device has a few slabs to register
 * instead of thousands of buffers.
 *
 * <p>Pages commit when they are first touched: a thousand idle buffers cost address space only. Released memory is
 * cleared before it is allocated again, and a dedicated thread clears long regions.
 */
package io.rocketbufs.memory;

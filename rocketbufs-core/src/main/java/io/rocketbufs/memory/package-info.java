/**
 * Slabs, regions and pools of off-heap memory.
 *
 * <p>A {@link io.rocketbufs.memory.MemoryPool} reserves {@linkplain io.rocketbufs.memory.Slab slabs} of address space
 * and cuts {@linkplain io.rocketbufs.memory.Region regions} from them. Memory does not belong to a transport. One
 * transport can therefore write a buffer that another transport reads, and a device registers a few slabs instead of
 * thousands of buffers.
 *
 * <p>Pages are committed when they are first touched, so a thousand idle buffers cost only address space. Released
 * memory is cleared before it is allocated again, and a dedicated thread clears long regions.
 */
package io.rocketbufs.memory;
